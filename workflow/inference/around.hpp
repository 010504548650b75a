#pragma once
#include <macaw/npu/artifact.hpp>

#include <string>
#include <string_view>

#include "sim/config/cpu_config.hpp"
#include "workflow/inference/cost_tables.hpp"

namespace macaw::inference {

/// A part of the time around the NPU's jobs and the operators of the CPU.
struct Part {
  std::string name;
  Range ms;
  std::string source;
};

/// The smallest range that contains several; its typical value is between theirs.
[[nodiscard]] Range hull(Range a, Range b);
[[nodiscard]] Range milliseconds(Range cycles, const npu::CpuConfig& cpu);
/// Factor on kernel costs for the memory of their tensors: a range over TCM and cached SRAM if it is not stated.
[[nodiscard]] PlatformEntry memory_factor(const CostTables& tables, const npu::CpuConfig& cpu);

/// Copies of the network's inputs (or outputs) by the application; none for an ExecuTorch program, whose copies are
/// operators.
[[nodiscard]] Part copies(const CostTables& tables, const npu::CpuConfig& cpu, const npu::Artifact& artifact,
                          bool inputs);
[[nodiscard]] Part cache_maintenance(const CostTables& tables, const npu::CpuConfig& cpu,
                                     const npu::Artifact& artifact);
[[nodiscard]] Part driver(const CostTables& tables, const npu::CpuConfig& cpu, const npu::Artifact& artifact);
/// Cost of the runtime for each operator and job.
[[nodiscard]] Part runtime(const CostTables& tables, const npu::CpuConfig& cpu, const npu::Artifact& artifact);

}  // namespace macaw::inference
