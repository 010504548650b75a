#pragma once
#include "sim/config/setup.hpp"

namespace macaw::npu {

/// Errors of NPU_ACTIVE against Arm's virtual platforms in one configuration, relative.
struct MeasuredError {
  std::string_view accelerator;
  bool timing_adapter = true;
  double mean = 0, worst = 0;
  int networks = 0;
};
[[nodiscard]] std::span<const MeasuredError> measured_errors();

/// The error of the configuration that a run uses; nullptr if nothing was measured in it: another system or memory
/// mode, overridden values.
[[nodiscard]] const MeasuredError* measured_error(const Accelerator& accelerator, const Setup& setup);

}  // namespace macaw::npu
