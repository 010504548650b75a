#pragma once
#include <macaw/npu/run.hpp>

#include "workflow/trace/saved_run.hpp"

namespace macaw::report {

/// A run with time as a reader of its report.json has it.
[[nodiscard]] trace::SavedRun saved_run(const npu::RunRecord& record);

}  // namespace macaw::report
