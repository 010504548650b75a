#pragma once
#include <macaw/tosa/graph.hpp>

#include <map>
#include <string>

namespace macaw::tosa {

/// The graph for inputs of these shapes, by name; inputs of a known shape need none. Every tensor has its shape, and
/// operators on shapes are the constants that they give. kMismatch if shapes and graph do not fit, kInvalidGraph if an
/// operator gives an output no shape or another one than declared, kUnsupported if a shape depends on contents.
[[nodiscard]] Result<Graph> resolve_shapes(Graph graph, const std::map<std::string, Shape>& inputs);

}  // namespace macaw::tosa
