#pragma once
#include <macaw/error.hpp>
#include <macaw/npu/artifact.hpp>

#include <optional>
#include <string>
#include <vector>

#include <macaw/npu/inference.hpp>
#include "sim/config/cpu_config.hpp"

namespace macaw::inference {

/// Milliseconds of the NPU; low and high are absent if nothing was measured.
struct NpuTime {
  double ms = 0;
  std::optional<double> low_ms, high_ms;
  std::string source;
};

/// Options for the CPU and for the time before and after the network.
struct Options {
  std::vector<std::string> cpu;  ///< NAME=VALUE, over the system's [cpu]
  double before_ms = 0, after_ms = 0;
};

/// The system's CPU with the user's values. kUsage for unknown names and values, kInvalidFile for those of the system,
/// whose name or file is `system_name`.
[[nodiscard]] Result<npu::CpuConfig> cpu_of(const std::optional<npu::CpuConfig>& system,
                                            const std::vector<std::string>& said, std::string_view system_name);

/// Predicts the time of one inference; each operator of the CPU counts once, regardless of control flow.
[[nodiscard]] Result<npu::Inference> predict(const npu::Artifact& artifact, const npu::CpuConfig& cpu,
                                             const NpuTime& npu, const Options& options);

}  // namespace macaw::inference
