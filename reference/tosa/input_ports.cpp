#include <macaw/tosa/input_ports.hpp>

namespace macaw::tosa {

InputPort port_of(const Value& value) {
  InputPort port{value.name, value.dtype, {}};
  if (value.is_static()) port.shape = *value.shape;
  return port;
}

std::vector<InputPort> input_ports(const Graph& graph) {
  std::vector<InputPort> ports;
  for (const auto id : graph.main().inputs) ports.push_back(port_of(graph.main().values[id]));
  return ports;
}

}  // namespace macaw::tosa
