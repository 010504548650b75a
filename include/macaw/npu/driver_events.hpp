#pragma once
#include <macaw/npu/accelerator.hpp>

#include <string>
#include <vector>

namespace macaw::npu {

/// Events of the performance monitor, "ETHOSU_PMU_NPU_ACTIVE", in the order of enum ethosu_pmu_event_type in Arm's core
/// driver (hal_ethos_u include/pmu_ethosu.h), which an event's number there is its place in.
[[nodiscard]] std::vector<std::string> driver_events(Family family);

}  // namespace macaw::npu
