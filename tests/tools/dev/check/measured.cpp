#include <fmt/format.h>

#include <set>

#include "tests/tools/dev/check/network.hpp"
#include "workflow/calibrate/measurements.hpp"

// A measurement file (docs/FORMATS.md): the artifacts with given outputs must give them, whatever was measured of them.

namespace macaw::app::check {
namespace {

Result<void> run_artifact(const calibrate::Cell& cell, const RunOptions& options) {
  MACAW_ASSIGN(const auto network, load_network(cell.artifact, std::string(cell.accelerator->name)));
  MACAW_ASSIGN(const auto inputs, read_inputs(cell.inputs));
  MACAW_ASSIGN(const auto outputs, run_network(network, inputs, options));
  if (outputs.size() != cell.outputs.size())
    return fail(ErrorCode::kMismatch, fmt::format("{} outputs, expected {}", outputs.size(), cell.outputs.size()));
  for (std::size_t i = 0; i < outputs.size(); ++i)
    MACAW_CHECK(compare_bytes(outputs[i], cell.outputs[i], fmt::format("output {}", i)));
  return {};
}

}  // namespace

Result<Cases> load_measured(const std::filesystem::path& file, const RunOptions& options) {
  MACAW_ASSIGN(const auto measurements, calibrate::load_measurements(file));
  Cases cases;
  std::set<std::filesystem::path> seen;
  for (const auto& cell : measurements.cells) {
    if (cell.outputs.empty() || !seen.insert(cell.artifact).second) continue;
    cases.push_back({cell.artifact.lexically_relative(file.parent_path()).string(),
                     {{"id", cell.id},
                      {"group", cell.group},
                      {"network", cell.network},
                      {"accelerator", std::string(cell.accelerator->name)},
                      {"memory_mode", cell.options.memory_mode},
                      {"set", cell.fitted ? "fit" : "unseen"}},
                     "",
                     [cell, options] { return run_artifact(cell, options); }});
  }
  return cases;
}

}  // namespace macaw::app::check
