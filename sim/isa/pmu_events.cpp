#include "sim/isa/pmu_events.hpp"

namespace macaw::npu {
namespace {

using namespace families;

constexpr PmuEventRow kEvents[] = {
#define MACAW_PMU_EVENT(set, number, name) {set, number, #name},
#include "sim/isa/pmu_events.def"
#undef MACAW_PMU_EVENT
};

template <class Match>
const PmuEventRow* find(Family family, Match match) {
  for (const auto& row : kEvents)
    if ((row.families & family_set(family)) && match(row)) return &row;
  return nullptr;
}

}  // namespace

std::span<const PmuEventRow> pmu_events() { return kEvents; }

const PmuEventRow* find_pmu_event(Family family, std::string_view name) {
  return find(family, [&](const PmuEventRow& row) { return row.name == name; });
}

const PmuEventRow* find_pmu_event(Family family, unsigned number) {
  return find(family, [&](const PmuEventRow& row) { return row.number == number; });
}

}  // namespace macaw::npu
