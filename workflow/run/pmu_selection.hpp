#pragma once
#include <macaw/npu/run.hpp>

#include <string>
#include <vector>

namespace macaw::run {

/// Checks events for the counters of an accelerator: names with or without ETHOSU_PMU_, or numbers as PMEVTYPER takes
/// them. kUsage: an event that the family does not have, more events than counters.
[[nodiscard]] Result<std::vector<npu::PmuCounter>> select_events(const npu::Accelerator& accelerator,
                                                                 const std::vector<std::string>& events);
/// Fills the values of the counters.
void read_counters(std::vector<npu::PmuCounter>& counters, const npu::PmuCounters& counts);

}  // namespace macaw::run
