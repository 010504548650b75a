#pragma once
#include <cstdint>
#include <optional>
#include <vector>

namespace macaw {

/// Valid values of an input that is used as an index into a tensor; both ends are included.
struct IndexRange {
  std::int64_t least = 0, most = 0;
  bool distinct = false;  ///< no value may occur twice, as for the indices of SCATTER
};

/// For each input, its range as an index; absent: any value of its type.
using IndexRanges = std::vector<std::optional<IndexRange>>;

}  // namespace macaw
