#pragma once
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace macaw::npu {

/// Addresses that are taken at times, which are 0 to `times` - 1. A binary tree over the times has on every node which
/// addresses are taken there at all times, and which at any: neighbours in one list are one range, so that a place is
/// found without looking at everything that lives meanwhile.
class Arena {
 public:
  static constexpr std::uint64_t kMaxWork = std::uint64_t{1} << 27;  ///< some seconds

  explicit Arena(std::size_t times, std::uint64_t max_work = kMaxWork);

  /// Takes the lowest address, a multiple of `alignment`, from which `size` bytes are free from `first` to `last`
  /// (inclusive). Nothing, if finding one would take too long.
  [[nodiscard]] std::optional<std::uint64_t> take(std::size_t first, std::size_t last, std::uint64_t size,
                                                  std::uint64_t alignment);

 private:
  struct Range {
    std::uint64_t begin, end;
  };
  /// In the order of addresses, apart from each other.
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
  std::uint64_t max_work_, work_ = 0;  ///< ranges that were looked at or moved
};

}  // namespace macaw::npu
