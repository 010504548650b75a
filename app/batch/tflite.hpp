#pragma once
#include <macaw/tflite/interpreter.hpp>

#include "app/batch/batch.hpp"

namespace macaw::app {

/// Runs a data set through a TensorFlow Lite network; variables are reset for each set.
[[nodiscard]] Result<BatchResult> interpret_batch(const tflite::Network& network, const BatchOptions& options,
                                                  const tflite::RunOptions& run);

}  // namespace macaw::app
