#pragma once
#include <nlohmann/json_fwd.hpp>

#include <macaw/npu/timed_simulator.hpp>

namespace macaw::report {

/// Settings of a timed run: system, memory mode, memories and parameters, each value with its source.
/// Errors: those of run_timed about systems, memory modes and parameters.
[[nodiscard]] Result<nlohmann::json> setup_json(const npu::Accelerator& accelerator, const npu::TimedOptions& options);

}  // namespace macaw::report
