#include <macaw/tflite/input_ports.hpp>

namespace macaw::tflite {

std::vector<InputPort> input_ports(const Network& network) {
  std::vector<InputPort> ports;
  for (const int id : network.main().inputs) {
    const auto& tensor = network.main().tensors[static_cast<std::size_t>(id)];
    ports.push_back({tensor.name, tensor.dtype, tensor.shape});
  }
  return ports;
}

}  // namespace macaw::tflite
