#pragma once
#include "compiler/arena.hpp"
#include "compiler/network.hpp"

#include <algorithm>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

namespace macaw::npu {

inline constexpr std::uint64_t kTensorAlignment = 16;

[[nodiscard]] constexpr std::uint64_t aligned(std::uint64_t value) {
  return (value + kTensorAlignment - 1) / kTensorAlignment * kTensorAlignment;
}

/// Lifetimes of storages as times of an Arena: only layers at which one begins or ends count.
class Lifetimes {
 public:
  explicit Lifetimes(std::span<NetworkStorage* const> storages) {
    for (const auto* s : storages) layers_.insert(layers_.end(), {s->first_layer, s->last_layer});
    std::ranges::sort(layers_);
    layers_.erase(std::ranges::unique(layers_).begin(), layers_.end());
  }

  [[nodiscard]] std::size_t count() const { return layers_.size(); }
  /// The first and the last time of a storage.
  [[nodiscard]] std::pair<std::size_t, std::size_t> of(const NetworkStorage& s) const {
    const auto index = [&](int layer) {
      return static_cast<std::size_t>(std::ranges::lower_bound(layers_, layer) - layers_.begin());
    };
    return {index(s.first_layer), index(s.last_layer)};
  }

 private:
  std::vector<int> layers_;
};

}  // namespace macaw::npu
