#pragma once
#include "sim/config/setup.hpp"

namespace macaw::npu {

/// Relative errors of NPU_ACTIVE against Arm's virtual platforms in one configuration.
struct MeasuredError {
  std::string_view accelerator;
  bool timing_adapter = true;
  double mean = 0, worst = 0;
  int networks = 0;
};
[[nodiscard]] std::span<const MeasuredError> measured_errors();

/// Returns the error for the configuration of a run; nullptr if nothing was measured in it: a different system or
/// memory mode, or overridden values.
[[nodiscard]] const MeasuredError* measured_error(const Accelerator& accelerator, const Setup& setup);

}  // namespace macaw::npu
