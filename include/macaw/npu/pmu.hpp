#pragma once
#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace macaw::npu {

/// Events of the performance monitor after a run, by the driver's names ("ETHOSU_PMU_NPU_ACTIVE",
/// "ETHOSU_PMU_AXI0_RD_DATA_BEAT_RECEIVED"; hal_ethos_u include/pmu_ethosu.h). They count cycles of the NPU clock,
/// transactions, or data-bus beats (8 bytes on U55, 16 on U65 and U85).
struct PmuCounters {
  std::map<std::string, std::uint64_t> counts;
  std::vector<std::string> unmodelled;  ///< events of the family that the model does not count; absent from counts
};

}  // namespace macaw::npu
