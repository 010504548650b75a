#pragma once
#include <optional>
#include <string>
#include <vector>

#include "workflow/report/layers.hpp"

namespace macaw::report {

/// A run and the words for it in a comparison.
struct LabelledRun {
  std::string label;
  npu::RunRecord run;
  Summary summary;
};

/// A layer in each of several runs.
struct LayerRow {
  std::string name;
  std::vector<std::optional<std::size_t>> places;  ///< in Summary::layers, by run; absent: the run has no such layer
};

/// Layers of the same name, every run laid beside the first one.
[[nodiscard]] std::vector<LayerRow> align_layers(const std::vector<LabelledRun>& runs);

/// For a terminal: the runs' totals, and the layers that moved, those first that moved most.
[[nodiscard]] std::string comparison_text(const std::vector<LabelledRun>& runs);
/// One page that needs nothing but itself.
[[nodiscard]] std::string comparison_html(const std::vector<LabelledRun>& runs);

}  // namespace macaw::report
