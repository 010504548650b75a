#pragma once
#include <macaw/tosa/graph.hpp>

#include <vector>

namespace macaw::tosa {

/// When the tensors of a block can be freed.
struct Plan {
  /// For every operator: the values that no later operator and no output of the block reads.
  std::vector<std::vector<ValueId>> free_after;
};

[[nodiscard]] Plan make_plan(const Block& block);

}  // namespace macaw::tosa
