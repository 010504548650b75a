#pragma once
#include <macaw/input_fit.hpp>
#include <macaw/tflite/network.hpp>

namespace macaw::tflite {

/// Types and shapes of the network's inputs, in order.
[[nodiscard]] std::vector<InputPort> input_ports(const Network& network);

}  // namespace macaw::tflite
