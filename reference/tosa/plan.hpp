#pragma once
#include <macaw/tosa/graph.hpp>

#include <cstddef>
#include <optional>
#include <vector>

namespace macaw::tosa {

/// When the tensors of a block can be freed.
struct Plan {
  /// For every operator: the values that no later operator and no output of the block reads.
  std::vector<std::vector<ValueId>> free_after;
  /// For every operator: the one that alone reads its only output, once, if nothing but constants is between the two.
  std::vector<std::optional<std::size_t>> next_reader;
};

[[nodiscard]] Plan make_plan(const Block& block);

}  // namespace macaw::tosa
