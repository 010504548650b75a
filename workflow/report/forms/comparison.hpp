#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "workflow/report/forms/joined_layers.hpp"

namespace macaw::report {

/// A run and the words for it in a comparison.
struct LabelledRun {
  std::string label;
  npu::RunRecord run;
  Summary summary;
};

/// An operator in each of several runs.
struct LayerRow {
  std::string name;                              ///< in the first run that has it
  std::vector<std::optional<JoinedLayer>> runs;  ///< absent: the run has no counterpart

  /// Whether the first run and the last have it.
  [[nodiscard]] bool is_paired() const { return runs.front() && runs.back(); }
  /// Exclusive cycles of the last run less those of the first.
  [[nodiscard]] std::int64_t difference() const;
};

/// The operators of all runs, every run laid beside those before it.
[[nodiscard]] std::vector<LayerRow> align_layers(const std::vector<LabelledRun>& runs);

/// How many times as long the first run took as the last: 2 is twice as fast. 0 where that is not known.
[[nodiscard]] double speed_up(const std::vector<LabelledRun>& runs);
/// By how many percent the last run takes longer than the first; negative if it is faster.
[[nodiscard]] double percent_slower(const std::vector<LabelledRun>& runs);

/// For a terminal: the runs' totals, the pairs of layers that changed, those first that changed most, and what has no
/// counterpart.
[[nodiscard]] std::string comparison_text(const std::vector<LabelledRun>& runs);
/// The same for a comment on a pull request.
[[nodiscard]] std::string comparison_markdown(const std::vector<LabelledRun>& runs);
/// All rows, changed or not.
[[nodiscard]] nlohmann::json comparison_json(const std::vector<LabelledRun>& runs);
/// One page that needs nothing but itself.
[[nodiscard]] std::string comparison_html(const std::vector<LabelledRun>& runs);

}  // namespace macaw::report
