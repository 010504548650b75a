#pragma once
#include <macaw/input_fit.hpp>
#include <macaw/tosa/graph.hpp>

namespace macaw::tosa {

/// Type and shape of an input or a variable; unknown extents accept any size.
[[nodiscard]] InputPort port_of(const Value& value);
/// Types and shapes of the main block's inputs, in order.
[[nodiscard]] std::vector<InputPort> input_ports(const Graph& graph);

}  // namespace macaw::tosa
