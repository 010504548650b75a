#pragma once
#include <macaw/npu/run.hpp>

#include "workflow/inference/predict.hpp"

namespace macaw::inference {

/// predict() for a simulated run: the NPU's time and interval are the run's, the CPU is that of its system.
[[nodiscard]] Result<npu::Inference> predict_run(const npu::RunSpec& spec, const npu::TimedResult& run,
                                                 const Options& options);

}  // namespace macaw::inference
