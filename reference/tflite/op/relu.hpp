#pragma once
#include "reference/tflite/unary.hpp"

namespace macaw::tflite {

/// Input scaled to the output and clamped to what the activation leaves.
[[nodiscard]] Result<void> clamped_activation(Call& call, schema::ActivationFunctionType activation);

}  // namespace macaw::tflite
