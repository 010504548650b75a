#pragma once
#include <macaw/input_fit.hpp>
#include <macaw/tosa/graph.hpp>

namespace macaw::tosa {

/// What an input or a variable takes; a shape with unknown extents is any.
[[nodiscard]] InputPort port_of(const Value& value);
/// What the inputs of the main block take, in its order.
[[nodiscard]] std::vector<InputPort> input_ports(const Graph& graph);

}  // namespace macaw::tosa
