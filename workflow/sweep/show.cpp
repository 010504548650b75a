#include "workflow/sweep/show.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <tuple>

#include "workflow/report/forms/csv_text.hpp"

namespace macaw::sweep {
namespace {

std::string cell(const std::optional<std::int64_t>& value) { return value ? fmt::format("{}", *value) : ""; }

}  // namespace

std::vector<std::size_t> pareto_front(const std::vector<Row>& runs, const std::string& network) {
  std::vector<std::size_t> all, front;
  for (std::size_t i = 0; i < runs.size(); ++i)
    if (runs[i].network == network && runs[i].milliseconds && runs[i].macs_per_cycle) all.push_back(i);
  std::ranges::stable_sort(all, {},
                           [&](std::size_t i) { return std::tuple(*runs[i].macs_per_cycle, *runs[i].milliseconds); });
  for (const auto i : all)
    if (front.empty() || *runs[i].milliseconds < *runs[front.back()].milliseconds) front.push_back(i);
  return front;
}

std::string show_text(const Database& database) {
  std::size_t width = 7;
  std::set<std::string> networks;
  for (const auto& run : database.runs) {
    width = std::max(width, run.network.size());
    networks.insert(run.network);
  }
  std::set<std::size_t> front;
  for (const auto& network : networks)
    for (const auto i : pareto_front(database.runs, network)) front.insert(i);
  auto text = fmt::format("{:<{}} {:<14} {:<24} {:<16} {:>12} {:>12} {:>12}  {}\n", "network", width, "accelerator",
                          "system", "memory mode", "cycles", "ms", "SRAM bytes", "parameters, inputs");
  for (std::size_t i = 0; i < database.runs.size(); ++i) {
    const auto& run = database.runs[i];
    const bool best = front.contains(i);
    text += fmt::format("{:<{}} {:<14} {:<24} {:<16} {:>12} {:>12} {:>12}  {}{}{}{}\n", run.network, width,
                        run.accelerator, run.system, run.memory_mode, cell(run.cycles),
                        run.milliseconds ? fmt::format("{:.3f}", *run.milliseconds) : "", cell(run.memory0_reach),
                        run.params == "{}" ? "" : run.params + " ", run.inputs, best ? " *" : "",
                        run.error.empty() ? "" : " ERROR: " + run.error);
  }
  return text + "* Pareto-optimal: no run is faster with the same or fewer MACs/cycle\n";
}

std::string show_csv(const Database& database) {
  std::string text =
      "id,network,accelerator,system,memory_mode,params,inputs,cycles,milliseconds,macs,macs_per_cycle,memory0_reach,"
      "memory0_peak,memory0_bytes,memory1_reach,memory1_peak,memory1_bytes,outputs,error\n";
  for (const auto& run : database.runs) {
    for (const auto& part : {run.id, run.network, run.accelerator, run.system, run.memory_mode, run.params, run.inputs})
      text += fmt::format("{},", report::csv_cell(part));
    text += fmt::format("{},{}", cell(run.cycles), run.milliseconds ? fmt::format("{}", *run.milliseconds) : "");
    for (const auto& part : {run.macs, run.macs_per_cycle, run.memory0_reach, run.memory0_peak, run.memory0_bytes,
                             run.memory1_reach, run.memory1_peak, run.memory1_bytes})
      text += fmt::format(",{}", cell(part));
    text += fmt::format(",{},{}\n", run.outputs, report::csv_cell(run.error));
  }
  return text;
}

}  // namespace macaw::sweep
