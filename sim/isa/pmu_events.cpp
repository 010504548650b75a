#include "sim/isa/pmu_events.hpp"

#include <algorithm>
#include <optional>
#include <tuple>
#include <vector>

namespace macaw::npu {
namespace {

using namespace families;

struct PortRow {
  FamilySet families;
  unsigned first;
  std::string_view name;
  int side, port;
};
constexpr int kAllPorts = PortSource::kAllPorts;
constexpr PortRow kPorts[] = {
#define MACAW_PORT(set, first, name, side, port) {set, first, #name, side, port},
#include "sim/isa/events.def"
};

void add_port_event(std::vector<PmuEventRow>& rows, unsigned distance, std::string_view name,
                    std::optional<PortCounter> counter, std::string_view meaning) {
  for (const PortRow& port : kPorts) {
    PmuEventRow row{port.families,
                    static_cast<std::uint16_t>(port.first + distance),
                    std::string(port.name) + "_" + std::string(name),
                    {},
                    {}};
    if (counter) {
      row.source = PortSource{*counter, port.side, port.port};
      row.meaning = std::string(meaning) + (port.port == kAllPorts ? ", all ports of the side" : ", one port");
    }
    rows.push_back(std::move(row));
  }
}

std::vector<PmuEventRow> make_events() {
  using enum Cause;
  using enum Tally;
  std::vector<PmuEventRow> rows = {
#define MACAW_EVENT(set, number, name, causes, meaning) {set, number, #name, PmuSource(Causes(causes)), meaning},
#define MACAW_TALLY_EVENT(set, number, name, tally, meaning) {set, number, #name, PmuSource(tally), meaning},
#define MACAW_UNMODELLED_EVENT(set, number, name) {set, number, #name, {}, {}},
#include "sim/isa/events.def"
  };
#define MACAW_PORT_EVENT(distance, name, unit, counter, meaning) \
  add_port_event(rows, distance, #name, PortCounter::counter, meaning);
#define MACAW_UNMODELLED_PORT_EVENT(distance, name) add_port_event(rows, distance, #name, {}, {});
#include "sim/isa/events.def"
  std::ranges::sort(rows, {}, [](const PmuEventRow& row) { return std::tuple(row.number, row.families); });
  return rows;
}

const std::vector<PmuEventRow>& events() {
  static const std::vector<PmuEventRow> rows = make_events();
  return rows;
}

template <class Match>
const PmuEventRow* find(Family family, Match match) {
  for (const auto& row : events())
    if ((row.families & family_set(family)) && match(row)) return &row;
  return nullptr;
}

}  // namespace

std::span<const PmuEventRow> pmu_events() { return events(); }

const PmuEventRow* find_pmu_event(Family family, std::string_view name) {
  return find(family, [&](const PmuEventRow& row) { return row.name == name; });
}

const PmuEventRow* find_pmu_event(Family family, unsigned number) {
  return find(family, [&](const PmuEventRow& row) { return row.number == number; });
}

}  // namespace macaw::npu
