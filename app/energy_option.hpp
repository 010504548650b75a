#pragma once
#include <string>

#include <macaw/npu/run.hpp>
#include "app/options.hpp"

namespace macaw::app {

/// --energy
void add_energy(Command command, std::string& table);

/// Checks that the table can be read; no error without a table.
[[nodiscard]] Result<void> check_energy(const std::string& table);

/// Computes the energy of a run from a cost table; empty without a table.
[[nodiscard]] Result<std::string> energy_text(const std::string& table, const npu::RunRecord& run);

}  // namespace macaw::app
