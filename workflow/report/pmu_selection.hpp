#pragma once
#include <macaw/npu/accelerator.hpp>
#include <macaw/npu/timed_simulator.hpp>

#include <optional>
#include <string>
#include <vector>

namespace macaw::report {

/// What one counter of the performance monitor would hold after a run.
struct PmuCounter {
  std::string event;  ///< by the driver's name without prefix, "MAC_ACTIVE"
  unsigned number = 0;
  std::optional<std::uint32_t> value;  ///< absent: the model does not move the event
  bool overflow = false;               ///< the 32 bits wrapped
};

/// Checks events for the counters of an accelerator: names with or without ETHOSU_PMU_, or numbers as PMEVTYPER takes
/// them. kUsage: an event that the family does not have, more events than counters.
[[nodiscard]] Result<std::vector<PmuCounter>> select_events(const npu::Accelerator& accelerator,
                                                            const std::vector<std::string>& events);
/// The same counters with their values.
[[nodiscard]] std::vector<PmuCounter> read_counters(std::vector<PmuCounter> counters, const npu::PmuCounters& counts);

}  // namespace macaw::report
