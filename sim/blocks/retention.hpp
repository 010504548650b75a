#pragma once
#include "sim/blocks/box.hpp"

#include <algorithm>
#include <array>
#include <cstddef>

namespace macaw::npu {

/// IFM blocks that are still in the IFM buffer, oldest first.
class Retention {
 public:
  static constexpr std::size_t kCapacity = 4;

  /// Returns true if the block with this key has to be fetched; it is then kept as the newest. A block that is found
  /// keeps its position, or becomes the newest if `refresh` is set. At most `keep` blocks remain.
  [[nodiscard]] bool fetch(const Box& key, std::size_t keep, bool refresh) {
    keep = std::min(keep, kCapacity);
    auto* const end = blocks_.data() + size_;
    auto* const found = std::find(blocks_.data(), end, key);
    const bool missing = found == end;
    if (!missing && refresh) std::rotate(found, found + 1, end);
    if (missing && keep != 0) {
      if (size_ == kCapacity) drop(1);
      blocks_[size_++] = key;
    }
    if (size_ > keep) drop(size_ - keep);
    return missing;
  }

 private:
  void drop(std::size_t oldest) {
    std::rotate(blocks_.begin(), blocks_.begin() + static_cast<std::ptrdiff_t>(oldest),
                blocks_.begin() + static_cast<std::ptrdiff_t>(size_));
    size_ -= oldest;
  }
  std::array<Box, kCapacity> blocks_{};
  std::size_t size_ = 0;
};

}  // namespace macaw::npu
