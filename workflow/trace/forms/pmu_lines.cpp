#include <fmt/format.h>

#include "workflow/trace/forms/trace.hpp"

namespace macaw::trace {
namespace {

/// The events that ExecuTorch's runner counts, in its order.
std::vector<std::string> runner_events(npu::Family family) {
  if (family == npu::Family::kU85)
    return {"ETHOSU_PMU_SRAM_RD_DATA_BEAT_RECEIVED",
            "ETHOSU_PMU_SRAM_WR_DATA_BEAT_WRITTEN",
            "ETHOSU_PMU_EXT_RD_DATA_BEAT_RECEIVED",
            "ETHOSU_PMU_EXT_WR_DATA_BEAT_WRITTEN",
            "ETHOSU_PMU_NPU_IDLE",
            "ETHOSU_PMU_MAC_ACTIVE",
            "ETHOSU_PMU_WD_ACTIVE"};
  return {"ETHOSU_PMU_AXI0_RD_DATA_BEAT_RECEIVED", "ETHOSU_PMU_AXI1_RD_DATA_BEAT_RECEIVED",
          "ETHOSU_PMU_AXI0_WR_DATA_BEAT_WRITTEN", "ETHOSU_PMU_NPU_IDLE"};
}

}  // namespace

std::string pmu_lines(const npu::RunRecord& run) {
  auto text = fmt::format("Ethos-U PMU report:\nethosu_pmu_cycle_cntr : {}\n", run.cycles);
  auto events = runner_events(run.accelerator->family);
  // What the model does not count is left out rather than shown as 0.
  std::erase_if(events, [&](const std::string& event) { return !run.pmu.counts.contains(event); });
  for (std::size_t i = 0; i < events.size(); ++i)
    text += fmt::format("ethosu_pmu_cntr{} : {}\n", i, run.pmu.counts.at(events[i]));
  return text + fmt::format("Ethos-U PMU Events:[{}]\n", fmt::join(events, ", "));
}

}  // namespace macaw::trace
