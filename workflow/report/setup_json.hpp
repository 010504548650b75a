#pragma once
#include <nlohmann/json_fwd.hpp>

#include "sim/timing/setup.hpp"

namespace macaw::report {

/// What a timed run would use: system, memory mode, memories and parameters, each value with its source.
[[nodiscard]] nlohmann::json to_json(const npu::Accelerator& accelerator, const npu::Setup& setup);

}  // namespace macaw::report
