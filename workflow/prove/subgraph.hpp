#pragma once
#include <macaw/tosa/graph.hpp>

#include <vector>

namespace macaw::prove {

/// Operators that work on each element by itself, in order; the last gives the result.
struct Chain {
  std::vector<tosa::ValueId> inputs;
  std::vector<std::size_t> operators;  ///< of the main block
};

/// The chain as a graph of its own, on tensors of another shape.
[[nodiscard]] tosa::Graph subgraph(const tosa::Graph& graph, const Chain& chain, const Shape& shape);

}  // namespace macaw::prove
