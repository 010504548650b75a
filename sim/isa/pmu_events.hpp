#pragma once
#include "sim/isa/command_table.hpp"

#include <string>
#include <variant>

namespace macaw::npu {

/// Why time passes in a unit of the core. Units report causes; events.def defines which events count them.
enum class Cause : std::uint8_t {
#define MACAW_CAUSE(name) name,
#include "sim/isa/events.def"
};
constexpr std::size_t kCauses = 0
#define MACAW_CAUSE(name) +1
#include "sim/isa/events.def"
    ;

/// Occurrences that units count.
enum class Tally : std::uint8_t {
#define MACAW_TALLY(name) name,
#include "sim/isa/events.def"
};
constexpr std::size_t kTallies = 0
#define MACAW_TALLY(name) +1
#include "sim/isa/events.def"
    ;

/// A set of causes whose times are added; no two of them hold in the same unit at once.
class Causes {
 public:
  constexpr Causes() = default;
  constexpr Causes(Cause cause) : bits_(1u << unsigned(cause)) {}  // NOLINT: a cause is a set of one
  [[nodiscard]] constexpr bool has(Cause cause) const { return bits_ >> unsigned(cause) & 1u; }
  [[nodiscard]] constexpr Causes with(Causes other) const {
    other.bits_ |= bits_;
    return other;
  }

 private:
  std::uint32_t bits_ = 0;
};
static_assert(kCauses <= 32);
[[nodiscard]] constexpr Causes operator|(Causes a, Causes b) { return a.with(b); }
[[nodiscard]] constexpr Causes operator|(Cause a, Causes b) { return Causes(a).with(b); }

/// Counters that every AXI port keeps.
enum class PortCounter : std::uint8_t {
#define MACAW_PORT_EVENT(distance, name, unit, counter, meaning) counter,
#include "sim/isa/events.def"
};

/// A counter of one AXI port, or of all ports of a side together.
struct PortSource {
  static constexpr int kAllPorts = -1;
  PortCounter counter = PortCounter::rd_accepted;
  int side = 0;  ///< 0: AXI0 (U85: SRAM), 1: AXI1 (EXT)
  int port = kAllPorts;
};

/// Source of an event's count; std::monostate: not counted by the timed model.
using PmuSource = std::variant<std::monostate, Causes, Tally, PortSource>;

/// An event of the performance monitoring unit; `number` is its value in PMEVTYPER.
struct PmuEventRow {
  FamilySet families = 0;
  std::uint16_t number = 0;
  std::string name;
  PmuSource source;
  std::string meaning;  ///< what the timed model counts, in a few words; empty: it does not count the event
};

/// All events, by number.
[[nodiscard]] std::span<const PmuEventRow> pmu_events();
/// By the name without a prefix, "MAC_ACTIVE"; nullptr if the family has no such event.
[[nodiscard]] const PmuEventRow* find_pmu_event(Family family, std::string_view name);
[[nodiscard]] const PmuEventRow* find_pmu_event(Family family, unsigned number);

}  // namespace macaw::npu
