#include <macaw/npu/driver_events.hpp>

#include "sim/isa/pmu_events.hpp"

namespace macaw::npu {

// The driver's order is that of the event numbers in PMEVTYPER.
std::vector<std::string> driver_events(Family family) {
  std::vector<std::string> names;
  for (const PmuEventRow& row : pmu_events())
    if ((row.families & family_set(family)) != 0) names.push_back("ETHOSU_PMU_" + row.name);
  return names;
}

}  // namespace macaw::npu
