#pragma once
#include <vector>

#include "reference/tosa/import/block_builder.hpp"

namespace macaw::tosa {

/// Gives blocks what they name and do not have from the block of the COND_IF or WHILE_LOOP that runs them: a constant
/// is brought in, any other value becomes a further input of the operator and of its bodies, and a loop hands it on.
/// Arm's reference model looks such names up when it runs a body (reference_model/src/subgraph_traverser.cpp,
/// findTensorByName). kInvalidGraph if no block around has the name, or one of another type or shape; kUnsupported if
/// several operators run the block.
Result<void> bind_outer_values(std::vector<BlockBuilder>& blocks);

}  // namespace macaw::tosa
