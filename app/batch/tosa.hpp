#pragma once
#include <macaw/tosa/interpreter.hpp>

#include "app/batch/batch.hpp"

namespace macaw::app {

/// Runs a data set through a TOSA graph; variables are reset for each set. A verdict other than VALID is an error.
[[nodiscard]] Result<BatchResult> interpret_batch(const tosa::Graph& graph, const BatchOptions& options,
                                                  tosa::Options run);

}  // namespace macaw::app
