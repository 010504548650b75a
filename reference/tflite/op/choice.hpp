#pragma once
#include "reference/tflite/call.hpp"

namespace macaw::tflite {

/// Where input 0 is true the element of input 1, else that of input 2; all are broadcast to the output.
[[nodiscard]] Result<void> choose(Call& call);

}  // namespace macaw::tflite
