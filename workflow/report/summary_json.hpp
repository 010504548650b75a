#pragma once
#include <nlohmann/json_fwd.hpp>

#include "workflow/report/layers.hpp"

namespace macaw::report {

/// Members of report.json that are made from its others: layers, bounds, bottlenecks, padded_channels, memory,
/// milliseconds (docs/FORMATS.md).
[[nodiscard]] nlohmann::json summary_json(const npu::RunRecord& run, const Summary& summary);

}  // namespace macaw::report
