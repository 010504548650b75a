#pragma once
#include <macaw/npu/artifact.hpp>

#include "app/batch/batch.hpp"

namespace macaw::app {

struct BatchRun {
  std::optional<std::int64_t> max_work = {};
  /// Folder for what every operation wrote, the sets along the first axis of each file: compare::written_tensors(). Not
  /// with `max_work`. Empty: none.
  std::filesystem::path dump_dir = {};
};

/// Runs a data set through a compiled network, without time.
[[nodiscard]] Result<BatchResult> simulate_batch(npu::Artifact artifact, const npu::Accelerator& accelerator,
                                                 const BatchOptions& options, const BatchRun& run);

}  // namespace macaw::app
