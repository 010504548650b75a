#pragma once
#include <macaw/index_range.hpp>
#include <macaw/tosa/graph.hpp>

namespace macaw::tosa {

/// The ranges of inputs of the main block, in its order, that become indices of GATHER or SCATTER: as they are, or
/// moved, repeated, cast, clamped, or with a constant added. Bodies of control flow are not followed.
[[nodiscard]] IndexRanges index_ranges(const Graph& graph);

}  // namespace macaw::tosa
