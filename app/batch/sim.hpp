#pragma once
#include <macaw/npu/artifact.hpp>

#include "app/batch/batch.hpp"

namespace macaw::app {

/// Runs a data set through a compiled network, without time.
[[nodiscard]] Result<BatchResult> simulate_batch(npu::Artifact artifact, const npu::Accelerator& accelerator,
                                                 const BatchOptions& options, std::optional<std::int64_t> max_work);

}  // namespace macaw::app
