#pragma once
#include <string>

#include "workflow/sweep/database.hpp"

namespace macaw::sweep {

/// The indices of the Pareto-optimal runs of a network, in the order of MACs per cycle: no other run of it is as fast
/// with the same or fewer MACs per cycle.
[[nodiscard]] std::vector<std::size_t> pareto_front(const std::vector<Row>& runs, const std::string& network);

/// A table with a line for each run; Pareto-optimal runs are marked.
[[nodiscard]] std::string show_text(const Database& database);
/// The table "runs" of the database as CSV, with a heading.
[[nodiscard]] std::string show_csv(const Database& database);
/// A self-contained page: for each network, time over MACs, SRAM and bandwidth with the Pareto fronts, the savings of
/// single changes, and the cycles of its layers on every configuration.
[[nodiscard]] std::string show_html(const Database& database);

/// The job file of an engine that starts the runs: "slurm", "snakemake", "parallel" or "mpi".
[[nodiscard]] Result<std::string> engine_text(const std::string& engine, const std::string& study,
                                              const std::string& folder, std::size_t shards);

}  // namespace macaw::sweep
