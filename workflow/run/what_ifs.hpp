#pragma once
#include <macaw/npu/run.hpp>

#include <functional>
#include <string>
#include <vector>

#include "workflow/run/matrix.hpp"

namespace macaw::run {

/// A change that lifts a limit: overrides in the form of `-C`, or another memory mode.
struct WhatIf {
  std::string kind;    ///< Advice::kind
  std::string change;  ///< "axi1 with twice the bandwidth"
  Params params;
  std::string memory_mode;  ///< empty: the same
};

/// Changes around a network that need no other compilation: of each memory twice the bandwidth, no latency and twice
/// the outstanding transactions, where they are limited, and each other memory mode. Errors: those of run_timed about
/// the options.
[[nodiscard]] Result<std::vector<WhatIf>> what_ifs(const npu::Accelerator& accelerator,
                                                   const npu::TimedOptions& options);

/// Limits of the NPU itself, which no memory lifts. What a run saves without one is the most that a change of the
/// network, such as fused operators or other channel counts, can save there. `operations`: of a run, which has these
/// costs.
[[nodiscard]] std::vector<WhatIf> compute_what_ifs(const npu::Accelerator& accelerator,
                                                   const std::vector<npu::OperationTiming>& operations);

/// A change that saves a smaller share of the cycles is not reported: it would be printed as 0.0 %.
inline constexpr double kLeastSaving = 0.0005;

/// The cycles of a run in timing mode with each of what_ifs() and compute_what_ifs() in turn, fewest first; changes
/// that save less than kLeastSaving of its cycles are left out. `command` returns the call that repeats one. Errors:
/// those of npu::execute().
[[nodiscard]] Result<std::vector<npu::Advice>> advise(const npu::RunSpec& spec, const npu::RunRecord& record,
                                                      const std::function<std::string(const WhatIf&)>& command);

}  // namespace macaw::run
