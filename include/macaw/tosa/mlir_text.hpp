#pragma once
#include <macaw/tosa/graph.hpp>

#include <cstddef>
#include <vector>

namespace macaw::tosa {

/// MLIR text of a graph, in the generic form; load_graph() reads it. kUnsupported for a type that MLIR does not have.
[[nodiscard]] Result<std::vector<std::byte>> write_mlir(const Graph& graph);

}  // namespace macaw::tosa
