#pragma once
#include <macaw/npu/artifact.hpp>

#include <string>
#include <vector>

#include <macaw/npu/inference.hpp>
#include "sim/config/cpu_config.hpp"
#include "workflow/inference/cost_tables.hpp"

namespace macaw::inference {

/// A row of the table with its correlation group: the errors of rows of one group are fully correlated.
struct GroupedRow {
  npu::InferenceRow row;
  std::string group;
};

/// The operators of the CPU, and the application's conversions of float inputs and outputs.
[[nodiscard]] std::vector<GroupedRow> host_rows(const CostTables& tables, const npu::CpuConfig& cpu,
                                                const npu::Artifact& artifact);

/// Changes that would save a relevant part of `total_ms`: an operator on the NPU, another kernel library, tensors in
/// TCM, no copies.
[[nodiscard]] std::vector<npu::InferenceSaving> savings(const CostTables& tables, const npu::CpuConfig& cpu,
                                                        const npu::Artifact& artifact, const npu::Inference& whole);

/// The unspecified choice with the largest effect, as text; empty: library and compiler are stated, or have no effect.
[[nodiscard]] std::string open_choice(const CostTables& tables, const npu::CpuConfig& cpu,
                                      const npu::Artifact& artifact);

}  // namespace macaw::inference
