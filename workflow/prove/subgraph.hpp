#pragma once
#include <macaw/tosa/graph.hpp>

#include <vector>

namespace macaw::prove {

/// A chain of elementwise operators; the last gives the result.
struct Chain {
  std::vector<tosa::ValueId> inputs;
  std::vector<std::size_t> operators;  ///< of the main block
};

/// The chain as a separate graph, on tensors of another shape.
[[nodiscard]] tosa::Graph subgraph(const tosa::Graph& graph, const Chain& chain, const Shape& shape);

}  // namespace macaw::prove
