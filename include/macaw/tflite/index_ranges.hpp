#pragma once
#include <macaw/index_range.hpp>
#include <macaw/tflite/network.hpp>

namespace macaw::tflite {

/// The ranges of those inputs of the main subgraph, in its order, that are used as indices of GATHER, GATHER_ND,
/// SCATTER_ND or EMBEDDING_LOOKUP, directly or after copies and casts. Subgraphs of control flow are not followed.
[[nodiscard]] IndexRanges index_ranges(const Network& network);

}  // namespace macaw::tflite
