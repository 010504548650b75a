#pragma once
#include <macaw/index_range.hpp>
#include <macaw/tflite/network.hpp>

namespace macaw::tflite {

/// The ranges of inputs of the main subgraph, in its order, that become indices of GATHER, GATHER_ND, SCATTER_ND or
/// EMBEDDING_LOOKUP: as they are, moved or cast. Subgraphs of control flow are not followed.
[[nodiscard]] IndexRanges index_ranges(const Network& network);

}  // namespace macaw::tflite
