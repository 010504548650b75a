#pragma once
#include <macaw/npu/artifact.hpp>

#include <string>
#include <vector>

#include <macaw/npu/inference.hpp>
#include "sim/config/cpu_config.hpp"
#include "workflow/inference/cost_tables.hpp"

namespace macaw::inference {

/// A row of the table and what its deviation goes with: rows of one group are off together.
struct GroupedRow {
  npu::InferenceRow row;
  std::string group;
};

/// The operators that are left to the CPU, and the conversions of the application where its ends are float.
[[nodiscard]] std::vector<GroupedRow> host_rows(const CostTables& tables, const npu::CpuConfig& cpu,
                                                const npu::Artifact& artifact);

/// Changes that would save a relevant part of `total_ms`: an operator on the NPU, another kernel library, tensors in
/// TCM, no copies.
[[nodiscard]] std::vector<npu::InferenceSaving> savings(const CostTables& tables, const npu::CpuConfig& cpu,
                                                        const npu::Artifact& artifact, const npu::Inference& whole);

/// The choice that is not stated and matters most, in words; empty: library and compiler are stated, or do not matter.
[[nodiscard]] std::string open_choice(const CostTables& tables, const npu::CpuConfig& cpu,
                                      const npu::Artifact& artifact);

}  // namespace macaw::inference
