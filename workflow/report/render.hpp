#pragma once
#include <string>

#include "workflow/trace/saved_run.hpp"

namespace macaw::report {

/// For a terminal: totals, then every operation with its share of the cycles and what bounds it.
[[nodiscard]] std::string render_table(const trace::SavedRun& run);

/// One row under the column names of Vela's *_summary_*.csv (ethosu/vela/stats_writer.py), so that its readers can be
/// pointed at simulated figures. What a command stream does not tell is left empty. AXI0 and SRAM count as "sram"; AXI1
/// as "off_chip_flash" on U55 and "dram" on U65, EXT as "dram": where the memory modes put them.
[[nodiscard]] std::string render_csv(const trace::SavedRun& run);

/// One page that needs nothing but itself: totals, timeline, roofline, operations, memory map over time, counters.
[[nodiscard]] std::string render_html(const trace::SavedRun& run);

}  // namespace macaw::report
