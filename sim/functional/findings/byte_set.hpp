#pragma once
#include "sim/datapath/feature_map.hpp"

#include <cstdint>
#include <vector>

namespace macaw::npu {

/// A set of byte offsets below a size, one bit each.
class ByteSet {
 public:
  explicit ByteSet(std::uint64_t size = 0) : size_(size), words_((size + kBits - 1) / kBits) {}

  /// Offsets at or above the size are ignored.
  void add(ByteRange range) { set(range, true); }
  /// Makes [to, to + length) the same as [from, from + length) of another set. Offsets at or above a size are ignored.
  void copy(const ByteSet& source, std::uint64_t from, std::uint64_t to, std::uint64_t length);
  /// The first offset of the range that is in the set; range.last if there is none.
  [[nodiscard]] std::uint64_t first_in(ByteRange range) const { return find(range, 0); }
  /// The first offset of the range that is not in the set; range.last if there is none. Offsets at or above the size
  /// are not in it.
  [[nodiscard]] std::uint64_t first_not_in(ByteRange range) const { return find(range, ~std::uint64_t{0}); }

 private:
  static constexpr std::uint64_t kBits = 64;
  [[nodiscard]] std::uint64_t find(ByteRange range, std::uint64_t flip) const;
  void set(ByteRange range, bool in);

  std::uint64_t size_;
  std::vector<std::uint64_t> words_;
};

}  // namespace macaw::npu
