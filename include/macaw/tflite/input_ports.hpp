#pragma once
#include <macaw/input_fit.hpp>
#include <macaw/tflite/network.hpp>

namespace macaw::tflite {

/// What the inputs of the network take, in its order.
[[nodiscard]] std::vector<InputPort> input_ports(const Network& network);

}  // namespace macaw::tflite
