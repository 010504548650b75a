#pragma once
#include <macaw/input_fit.hpp>
#include <macaw/tosa/graph.hpp>

namespace macaw::tosa {

/// What an input or a variable takes; a shape with unknown extents is any.
[[nodiscard]] InputPort port_of(const Value& value);
/// Of the main block, in its order.
[[nodiscard]] std::vector<InputPort> input_ports(const Graph& graph);

}  // namespace macaw::tosa
