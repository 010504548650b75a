#include <fmt/format.h>

#include "workflow/trace/forms/trace.hpp"

namespace macaw::trace {

std::string pmu_lines(const npu::RunRecord& run) {
  auto text = fmt::format("Ethos-U PMU report:\nethosu_pmu_cycle_cntr : {}\n", run.cycles);
  // Events that the model does not count are omitted rather than shown as 0.
  std::vector<std::string> events;
  for (const std::string_view name : npu::traits(run.accelerator->family).runner_events)
    if (auto event = fmt::format("ETHOSU_PMU_{}", name); run.pmu.counts.contains(event))
      events.push_back(std::move(event));
  for (std::size_t i = 0; i < events.size(); ++i)
    text += fmt::format("ethosu_pmu_cntr{} : {}\n", i, run.pmu.counts.at(events[i]));
  return text + fmt::format("Ethos-U PMU Events:[{}]\n", fmt::join(events, ", "));
}

}  // namespace macaw::trace
