#pragma once
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace macaw::npu {

/// Addresses that are occupied at times 0 to `times` - 1. Every node of a binary tree over the times stores the
/// addresses occupied at all of its times, and those occupied at any of them. Adjacent ranges in a list are merged, so
/// that a free place is found without visiting every live allocation.
class Arena {
 public:
  static constexpr std::uint64_t kMaxWork = std::uint64_t{1} << 27;  ///< a few seconds

  explicit Arena(std::size_t times, std::uint64_t max_work = kMaxWork);

  /// Reserves the lowest address, a multiple of `alignment`, with `size` bytes free from `first` to `last` (inclusive).
  /// nullopt, and nothing is reserved, if they would end behind `limit` or the search would take too long.
  [[nodiscard]] std::optional<std::uint64_t> take(std::size_t first, std::size_t last, std::uint64_t size,
                                                  std::uint64_t alignment, std::uint64_t limit = UINT64_MAX);

 private:
  struct Range {
    std::uint64_t begin, end;
  };
  /// Sorted by address, disjoint.
  using Ranges = std::vector<Range>;
  struct Node {
    Ranges always, ever;
  };
  struct Times {
    std::size_t first, last;
  };

  void find(std::size_t node, Times of_node, Times times, std::vector<std::span<const Range>>& taken) const;
  void add(std::size_t node, Times of_node, Times times, Range range);
  void add(Ranges& ranges, Range range);

  Times all_;
  std::vector<Node> nodes_;            ///< node i has the children 2i + 1 and 2i + 2
  std::uint64_t max_work_, work_ = 0;  ///< ranges that were visited or moved
};

}  // namespace macaw::npu
