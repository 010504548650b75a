#pragma once
#include <cstdint>
#include <optional>
#include <vector>

namespace macaw {

/// Stored values that an input may have, ends included: it picks rows of a tensor.
struct IndexRange {
  std::int64_t least = 0, most = 0;
  bool distinct = false;  ///< no value may occur twice, as where rows are written
};

/// For each input, the range that it is limited to; absent: its type's.
using IndexRanges = std::vector<std::optional<IndexRange>>;

}  // namespace macaw
