#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <macaw/npu/timed_simulator.hpp>
#include <nlohmann/json_fwd.hpp>

#include "workflow/report/pmu_selection.hpp"
#include "workflow/trace/saved_run.hpp"

namespace macaw::report {

/// TimedOptions::activity_spans of a run that is reported: short of what a page can show.
inline constexpr std::size_t kActivitySpans = 1000;

/// What one `macaw sim` run leaves behind, besides its output tensors.
struct RunReport {
  std::string network;  ///< file name without folder, so that reports do not depend on where they were made
  std::string accelerator;
  std::string mode;  ///< functional, timed or timing
  bool timing_adapter = true;
  const npu::Artifact* artifact = nullptr;
  npu::TimedResult run;                         ///< functional runs fill `values` only
  std::vector<std::string> output_files;        ///< one per output; empty if values were left out
  std::vector<PmuCounter> counters;             ///< of the events that were asked for
  std::vector<npu::Finding> findings;           ///< empty also if nobody looked
  std::optional<std::uint64_t> sram_size = {};  ///< bytes that the memory of AXI0 is to have
  std::vector<trace::Advice> advice = {};       ///< of advise(), if `advised`
  bool advised = false;
};

/// report.json: sorted keys, no times of day, hosts or folders. "pmu" maps the driver's event names to counts and is
/// empty for a functional run.
[[nodiscard]] nlohmann::json to_json(const RunReport& report);

/// The same for people: cycles, the longest layers and what binds them, memory, the counters that were asked for.
[[nodiscard]] std::string to_text(const RunReport& report);

}  // namespace macaw::report
