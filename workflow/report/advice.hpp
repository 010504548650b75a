#pragma once
#include <macaw/npu/timed_simulator.hpp>

#include <functional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "workflow/trace/saved_run.hpp"

namespace macaw::report {

/// One bound lifted: overrides as `-C` takes them, or another memory mode.
struct WhatIf {
  std::string change;  ///< "axi1 with twice the bandwidth"
  std::vector<std::pair<std::string, double>> params;
  std::string memory_mode;  ///< empty: the same
};

/// What can be changed around a network without compiling it again: each memory's bandwidth, latency and transactions
/// outstanding, where they are limited, and the memory modes. Errors: those of run_timed about the options.
[[nodiscard]] Result<std::vector<WhatIf>> what_ifs(const npu::Accelerator& accelerator,
                                                   const npu::TimedOptions& options);

/// The cycles of `options` in timing mode with each of what_ifs() in turn, fewest first; changes that save nothing of
/// `cycles` are left out. `command` gives the call that repeats one. Errors: those of run_timed.
[[nodiscard]] Result<std::vector<trace::Advice>> advise(const npu::Artifact& artifact,
                                                        const npu::Accelerator& accelerator,
                                                        std::span<const npu::NamedTensor> inputs,
                                                        const npu::TimedOptions& options, std::uint64_t cycles,
                                                        const std::function<std::string(const WhatIf&)>& command);

}  // namespace macaw::report
