#pragma once
#include "sim/isa/command_table.hpp"

namespace macaw::npu {

/// An event of the performance monitoring unit; `number` is what PMEVTYPER takes.
struct PmuEventRow {
  FamilySet families = 0;
  std::uint16_t number = 0;
  std::string_view name;
};

[[nodiscard]] std::span<const PmuEventRow> pmu_events();
/// By the name without a prefix, "MAC_ACTIVE"; nullptr if the family has no such event.
[[nodiscard]] const PmuEventRow* find_pmu_event(Family family, std::string_view name);
[[nodiscard]] const PmuEventRow* find_pmu_event(Family family, unsigned number);

}  // namespace macaw::npu
