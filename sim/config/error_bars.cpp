#include "sim/config/error_bars.hpp"

namespace macaw::npu {
namespace {

constexpr MeasuredError kErrors[] = {
#define MACAW_ERROR_BAR(accelerator, adapter, mean, worst, networks) \
  {accelerator, adapter, (mean) / 100, (worst) / 100, networks},
#include "sim/config/error_bars.def"
#undef MACAW_ERROR_BAR
};

}  // namespace

std::span<const MeasuredError> measured_errors() { return kErrors; }

const MeasuredError* measured_error(const Accelerator& accelerator, const Setup& setup) {
  if (setup.system.name != default_system(accelerator) || !setup.overridden.empty() ||
      setup.mode.name != traits(accelerator.family).default_memory_mode)
    return nullptr;
  for (const auto& error : kErrors)
    if (error.accelerator == accelerator.name && error.timing_adapter == setup.timing_adapter) return &error;
  return nullptr;
}

}  // namespace macaw::npu
