#pragma once
#include <macaw/tosa/graph.hpp>

#include "workflow/reduce/network.hpp"

namespace macaw::reduce {

[[nodiscard]] NetworkPtr make_network(tosa::Graph graph);

}  // namespace macaw::reduce
