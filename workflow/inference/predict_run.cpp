#include "workflow/inference/predict_run.hpp"

#include <fmt/format.h>

#include "sim/config/setup.hpp"

namespace macaw::inference {

Result<npu::Inference> predict_run(const npu::RunSpec& spec, const npu::TimedResult& run, const Options& options) {
  const auto& timed = spec.options;
  MACAW_ASSIGN(const auto setup, npu::resolve_setup(spec.accelerator, {.system = timed.system,
                                                                       .memory_mode = timed.memory_mode,
                                                                       .vela_config = timed.vela_config,
                                                                       .timing_adapter = timed.timing_adapter,
                                                                       .overrides = timed.params}));
  MACAW_ASSIGN(const auto cpu,
               cpu_of(setup.system.cpu, options.cpu, timed.system.empty() ? setup.system.name : timed.system));
  const double cycle_ms = 1e3 / run.clock_hz;
  NpuTime npu{.ms = static_cast<double>(run.cycles) * cycle_ms, .low_ms = {}, .high_ms = {}, .source = run.no_interval};
  if (run.interval) {
    npu.low_ms = static_cast<double>(run.interval->low) * cycle_ms;
    npu.high_ms = static_cast<double>(run.interval->high) * cycle_ms;
    npu.source = run.interval->basis;
  }
  return predict(spec.artifact, cpu, npu, options);
}

}  // namespace macaw::inference
