#include "app/energy_option.hpp"

namespace macaw::app {

void add_energy(Command command, std::string& table) {
  command.add_option("--energy", table, "not in the program that ./dev demo builds");
}

Result<void> check_energy(const std::string& table) {
  if (table.empty()) return {};
  return fail(ErrorCode::kUnsupported,
              "--energy: not in the program that ./dev demo builds; ./dev build makes all of it", {});
}

Result<std::string> energy_text(const std::string&, const trace::SavedRun&) { return ""; }

}  // namespace macaw::app
