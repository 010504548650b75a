#pragma once
#include <optional>
#include <string>

#include <macaw/npu/run.hpp>
#include "workflow/report/layers.hpp"

// Forms in which `macaw report` writes a saved run besides the page (workflow/report/render.hpp).

namespace macaw::report {

/// For a terminal: totals, layers, then every operation with its share of the cycles and what bounds it.
[[nodiscard]] std::string render_table(const npu::RunRecord& run, const Summary& summary,
                                       std::optional<std::uint64_t> sram_size = {});

/// One row under the column names of Vela's *_summary_*.csv (ethosu/vela/stats_writer.py), so that its readers can be
/// pointed at simulated figures. Columns that a command stream does not determine are empty. AXI0 and SRAM count as
/// "sram"; AXI1 as "off_chip_flash" on U55 and "dram" on U65, EXT as "dram": where the memory modes put them.
[[nodiscard]] std::string render_csv(const npu::RunRecord& run, const Summary& summary);
/// A row a layer under the column names of Vela's *_per-layer.csv: one for each operator that Vela scheduled, if a
/// debug database names them.
[[nodiscard]] std::string render_layers_csv(const npu::RunRecord& run);

/// Text in which nothing is what Markdown or HTML takes for its own.
[[nodiscard]] std::string escape_markdown(const std::string& text);
/// A summary for the page of a CI job.
[[nodiscard]] std::string render_markdown(const npu::RunRecord& run, const Summary& summary);
/// A flame graph for speedscope.app: exclusive cycles of the operations below their layers, in the order of their
/// issue.
[[nodiscard]] std::string render_speedscope(const npu::RunRecord& run, const Summary& summary);

/// The layers as a graph for Model Explorer, and their cycles as its node data: a layer is known by the tensor that
/// names its operator, so that the node data fits the source network's graph too.
[[nodiscard]] std::string render_graph_json(const npu::RunRecord& run, const Summary& summary);
[[nodiscard]] std::string render_node_data(const Summary& summary);

}  // namespace macaw::report
