#pragma once
#include <macaw/npu/run.hpp>

#include <functional>
#include <string>
#include <vector>

#include "workflow/run/matrix.hpp"

namespace macaw::run {

/// One bound lifted: overrides as `-C` takes them, or another memory mode.
struct WhatIf {
  std::string change;  ///< "axi1 with twice the bandwidth"
  Params params;
  std::string memory_mode;  ///< empty: the same
};

/// What can be changed around a network without compiling it again: each memory's bandwidth, latency and transactions
/// outstanding, where they are limited, and the memory modes. Errors: those of run_timed about the options.
[[nodiscard]] Result<std::vector<WhatIf>> what_ifs(const npu::Accelerator& accelerator,
                                                   const npu::TimedOptions& options);

/// The cycles of a run in timing mode with each of what_ifs() in turn, fewest first; changes that save nothing of
/// `cycles` are left out. `command` gives the call that repeats one. Errors: those of npu::execute().
[[nodiscard]] Result<std::vector<npu::Advice>> advise(const npu::RunSpec& spec, std::uint64_t cycles,
                                                      const std::function<std::string(const WhatIf&)>& command);

}  // namespace macaw::run
