#pragma once
#include <macaw/npu/run.hpp>

#include "workflow/inference/predict.hpp"

namespace macaw::inference {

/// predict() for a simulated run: NPU time and interval are those of the run, the CPU is that of its system.
[[nodiscard]] Result<npu::Inference> predict_run(const npu::RunSpec& spec, const npu::TimedResult& run,
                                                 const Options& options);

}  // namespace macaw::inference
