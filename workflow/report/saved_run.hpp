#pragma once
#include "workflow/report/run_report.hpp"

namespace macaw::report {

/// A run with time as a reader of its report.json has it.
[[nodiscard]] trace::SavedRun saved_run(const RunReport& report);

}  // namespace macaw::report
