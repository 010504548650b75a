#pragma once
#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "workflow/report/forms/comparison.hpp"

namespace macaw::report {

// The predicted time of the whole inference in several runs, part by part: the NPU, operators of the CPU, copies,
// cache, driver. Nothing where a run has no such prediction (npu::RunRecord::inference).

/// The totals with their ranges, and the parts that differ between the first run and the last: first those whose change
/// is unknown, as one of the costs is, then the greatest change. "-": a run does not have the part.
[[nodiscard]] std::string compared_inference_text(const std::vector<LabelledRun>& runs);
[[nodiscard]] std::string compared_inference_markdown(const std::vector<LabelledRun>& runs);
/// `totals` with ms, low_ms, high_ms and lower_bound of each run, and `parts` with kind, name, exists and ms of each
/// run. Null where a run has no prediction; the ms of a part that a run does not have, or that has no known cost there,
/// is null.
[[nodiscard]] nlohmann::json compared_inference_json(const std::vector<LabelledRun>& runs);

}  // namespace macaw::report
