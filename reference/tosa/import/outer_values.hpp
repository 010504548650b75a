#pragma once
#include <vector>

#include "reference/tosa/import/block_builder.hpp"

namespace macaw::tosa {

/// Resolves names that a block uses but does not define, in the block of the COND_IF or WHILE_LOOP that runs it: a
/// constant is copied, any other value becomes a further input of the operator and of its bodies, and a loop passes it
/// on. Arm's reference model looks such names up when it runs a body (reference_model/src/subgraph_traverser.cpp,
/// findTensorByName). kInvalidGraph if no enclosing block has the name, or has it with another type or shape;
/// kUnsupported if several operators run the block.
Result<void> bind_outer_values(std::vector<BlockBuilder>& blocks);

}  // namespace macaw::tosa
