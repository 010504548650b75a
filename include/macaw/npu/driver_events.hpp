#pragma once
#include <macaw/npu/accelerator.hpp>

#include <string>
#include <vector>

namespace macaw::npu {

/// Events of the performance monitor, such as "ETHOSU_PMU_NPU_ACTIVE", in the order of enum ethosu_pmu_event_type in
/// Arm's core driver (hal_ethos_u include/pmu_ethosu.h): the index is the event's number there.
[[nodiscard]] std::vector<std::string> driver_events(Family family);

}  // namespace macaw::npu
