#pragma once
#include <string>

#include "workflow/sweep/database.hpp"

namespace macaw::sweep {

/// Indices of runs of one network that no other run of it beats in both MACs per cycle and milliseconds, by MACs.
[[nodiscard]] std::vector<std::size_t> pareto_front(const std::vector<Row>& runs, const std::string& network);

/// A table for people: a line for each run, best of each network marked.
[[nodiscard]] std::string show_text(const Database& database);
/// The table runs as CSV, with a heading.
[[nodiscard]] std::string show_csv(const Database& database);
/// One page that needs nothing but itself: for each network time against MACs, SRAM and bandwidth with the Pareto
/// fronts, what single changes save, and its layers' cycles on every configuration.
[[nodiscard]] std::string show_html(const Database& database);

/// Text for an engine that starts the runs: "slurm", "snakemake", "parallel" or "mpi".
[[nodiscard]] Result<std::string> engine_text(const std::string& engine, const std::string& study,
                                              const std::string& folder, std::size_t shards);

}  // namespace macaw::sweep
