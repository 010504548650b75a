#pragma once
#include "sim/walk/box.hpp"

#include <array>
#include <cstddef>

namespace macaw::npu {

/// IFM blocks that are still in the IFM buffer, oldest first. A block is known by its clipped window and channels.
/// U55/U65 keep the last two that were fetched (walk rules 2.3); the order does not change on a hit.
class Retention {
 public:
  static constexpr std::size_t kCapacity = 4;

  explicit Retention(std::size_t keep) : keep_(keep < kCapacity ? keep : kCapacity) {}

  /// True if `block` has to be fetched; it is then retained in place of the oldest.
  [[nodiscard]] bool fetch(const Box& block) {
    for (std::size_t i = 0; i < size_; ++i)
      if (blocks_[i] == block) return false;
    if (keep_ == 0) return true;
    if (size_ == keep_) {
      for (std::size_t i = 1; i < size_; ++i) blocks_[i - 1] = blocks_[i];
      --size_;
    }
    blocks_[size_++] = block;
    return true;
  }

 private:
  std::array<Box, kCapacity> blocks_{};
  std::size_t keep_, size_ = 0;
};

}  // namespace macaw::npu
