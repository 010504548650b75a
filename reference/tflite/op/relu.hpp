#pragma once
#include "reference/tflite/unary.hpp"

namespace macaw::tflite {

/// Input scaled to the output and clamped to what the activation leaves.
[[nodiscard]] Result<void> clamped_activation(Call& call, schema::ActivationFunctionType activation);
/// The same with other bounds: floats, or integers of the output, from the least that `low` leaves to the largest that
/// `high` does.
[[nodiscard]] Result<void> clamped_activation(Call& call, schema::ActivationFunctionType low,
                                              schema::ActivationFunctionType high);

}  // namespace macaw::tflite
