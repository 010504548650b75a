#pragma once
#include <macaw/tflite/network.hpp>

namespace macaw::tflite {

/// The network in float arithmetic: every tensor with a scale becomes FP32 under the same index and name, constants
/// are dequantised, and operators that convert between quantisations copy. A network of floats stays as it is.
/// kInvalidGraph if a constant and its quantisation do not fit each other.
[[nodiscard]] Result<Network> to_float(const Network& network);

}  // namespace macaw::tflite
