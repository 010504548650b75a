#pragma once
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "workflow/sweep/plan.hpp"

namespace macaw::sweep {

/// Writes FOLDER/study.sqlite from the results of a plan: tables runs, counters and layers (docs/FORMATS.md). The same
/// results give the same bytes. Returns how many runs failed or have no result.
[[nodiscard]] Result<std::size_t> write_database(const Plan& plan, const std::filesystem::path& folder);

/// A row of the table runs.
struct Row {
  std::string id, network, accelerator, system, memory_mode, params, inputs, outputs, error;
  std::optional<std::int64_t> cycles, macs, macs_per_cycle;
  std::optional<std::int64_t> memory0_reach, memory0_peak, memory0_bytes, memory1_reach, memory1_peak, memory1_bytes;
  std::optional<double> milliseconds;
};

/// A row of the table layers.
struct LayerRow {
  std::string run, name, kind, bound;
  std::int64_t number = 0, inclusive = 0, exclusive = 0, macs = 0, memory0_bytes = 0, memory1_bytes = 0;
};

struct Database {
  std::vector<Row> runs;         ///< in the order of the plan
  std::vector<LayerRow> layers;  ///< by run, in the order of the network
};

/// kInvalidFile for a file that write_database() has not written.
[[nodiscard]] Result<Database> read_database(const std::filesystem::path& file);

}  // namespace macaw::sweep
