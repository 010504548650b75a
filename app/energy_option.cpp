#include "app/energy_option.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "workflow/energy/energy.hpp"

namespace macaw::app {

void add_energy(Command command, std::string& table) {
  command.add_option("--energy", table,
                     fmt::format("estimate energy (lower and upper bound) from a cost table: {}, or a .toml file",
                                 fmt::join(energy::table_names(), ", ")));
}

Result<void> check_energy(const std::string& name) {
  if (!name.empty()) MACAW_CHECK(energy::load_table(name));
  return {};
}

Result<std::string> energy_text(const std::string& name, const npu::RunRecord& run) {
  if (name.empty()) return "";
  MACAW_ASSIGN(const auto table, energy::load_table(name));
  MACAW_ASSIGN(const auto taken, energy::energy_of(run, table));
  return energy::to_text(taken);
}

}  // namespace macaw::app
