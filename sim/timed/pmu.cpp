#include "sim/timed/pmu.hpp"

namespace macaw::npu::timed {
namespace {

// Counter values as shown by the hardware: times in whole cycles.
std::uint64_t shown(Ticks span) { return whole_cycles(span).count(); }
std::uint64_t shown(Beats beats) { return beats.count(); }
std::uint64_t shown(Transactions number) { return number; }

// Rounds a time up to the next whole cycle; leaves other counts unchanged.
void up(Ticks& span) { span = ticks(whole_cycles(span)); }
template <class Count>
void up(Count&) {}

std::uint64_t shown(const PortCounters& counters, PortCounter counter) {
  switch (counter) {
#define MACAW_PORT_EVENT(distance, name, unit, member, meaning) \
  case PortCounter::member: return shown(counters.member);
#include "sim/isa/events.def"
  }
  return 0;
}

}  // namespace

PortCounters& PortCounters::operator+=(const PortCounters& other) {
#define MACAW_PORT_EVENT(distance, name, unit, counter, meaning) counter += other.counter;
#include "sim/isa/events.def"
  return *this;
}

void PortCounters::round_up() {
#define MACAW_PORT_EVENT(distance, name, unit, counter, meaning) up(counter);
#include "sim/isa/events.def"
}

Pmu::Pmu(const sc_core::sc_module_name& name, const Accelerator& accelerator)
    : sc_core::sc_module(name), accelerator_(accelerator) {
  ports_[0].resize(static_cast<std::size_t>(accelerator.ports0));
  ports_[1].resize(static_cast<std::size_t>(accelerator.ports1));
}

void Pmu::round_up() {
  for (Ticks& span : spans_) up(span);
  for (auto& ports : ports_)
    for (PortCounters& port : ports) port.round_up();
}

std::uint64_t Pmu::count(Causes causes) const {
  Ticks sum;
  for (std::size_t i = 0; i < spans_.size(); ++i)
    if (causes.has(static_cast<Cause>(i))) sum += spans_[i] + (now() * open_[i].number - open_[i].starts);
  return shown(sum);
}

std::uint64_t Pmu::count(const PortSource& source) const {
  const auto& ports = ports_[static_cast<std::size_t>(source.side)];
  PortCounters sum;
  for (std::size_t i = 0; i < ports.size(); ++i)
    if (source.port == PortSource::kAllPorts || source.port == static_cast<int>(i)) sum += ports[i];
  return shown(sum, source.counter);
}

std::optional<std::uint64_t> Pmu::count(const PmuEventRow& event) const {
  if (const auto* causes = std::get_if<Causes>(&event.source)) return count(*causes);
  if (const auto* tally = std::get_if<Tally>(&event.source)) return tallies_[static_cast<std::size_t>(*tally)];
  if (const auto* port = std::get_if<PortSource>(&event.source)) return count(*port);
  return std::nullopt;
}

PmuCounters Pmu::counters() const {
  PmuCounters result;
  for (const PmuEventRow& event : pmu_events()) {
    if (!(event.families & family_set(accelerator_.family))) continue;
    const std::string name = "ETHOSU_PMU_" + event.name;
    if (const auto counted = count(event)) result.counts[name] = *counted;
    else result.unmodelled.push_back(name);
  }
  return result;
}

}  // namespace macaw::npu::timed
