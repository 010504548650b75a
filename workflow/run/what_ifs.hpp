#pragma once
#include <macaw/npu/run.hpp>

#include <functional>
#include <string>
#include <vector>

#include "workflow/run/matrix.hpp"

namespace macaw::run {

/// One bound lifted: overrides as `-C` takes them, or another memory mode.
struct WhatIf {
  std::string kind;    ///< Advice::kind
  std::string change;  ///< "axi1 with twice the bandwidth"
  Params params;
  std::string memory_mode;  ///< empty: the same
};

/// Settings that can change without recompiling a network: each memory's bandwidth, latency and transactions
/// outstanding, where they are limited, and the memory modes. Errors: those of run_timed about the options.
[[nodiscard]] Result<std::vector<WhatIf>> what_ifs(const npu::Accelerator& accelerator,
                                                   const npu::TimedOptions& options);

/// Limits of the NPU itself that no hardware lifts: what is left without one is the most that a change of the network,
/// such as fusing operators or other channel counts, can save there. `operations` say which costs a run has.
[[nodiscard]] std::vector<WhatIf> compute_what_ifs(const npu::Accelerator& accelerator,
                                                   const std::vector<npu::OperationTiming>& operations);

/// The cycles of a run in timing mode with each of what_ifs() and compute_what_ifs() in turn, fewest first; changes
/// that save nothing of its cycles are left out. `command` gives the call that repeats one. Errors: those of
/// npu::execute().
[[nodiscard]] Result<std::vector<npu::Advice>> advise(const npu::RunSpec& spec, const npu::RunRecord& record,
                                                      const std::function<std::string(const WhatIf&)>& command);

}  // namespace macaw::run
