#include "sim/timed/device/counter_block.hpp"

#include <algorithm>

namespace macaw::npu::timed {
namespace {

constexpr std::uint32_t kCountEnable = 1, kResetEvents = 2, kResetCycles = 4, kMaskEnable = 8;  // PMCR
constexpr std::uint32_t kEventMask = 0x3ff;
constexpr unsigned kStopEvent = 16;  // PMCCNTR_CFG
constexpr std::uint64_t kCycleMask = 0xffffffffffff;
constexpr std::uint32_t kCycle32 = 17, kIdle = 32, kActive = 35;  // CYCLE, NPU_IDLE, NPU_ACTIVE (sim/isa/events.def)
constexpr std::uint64_t kSurge = 4096, kMostInACycle = 16;        // maximum counts of the ports at once

/// Events that increase by one in each cycle, or not at all.
bool is_steady(std::uint32_t event) { return event == kCycle32 || event == kIdle || event == kActive; }

}  // namespace

CounterBlock::CounterBlock(const Accelerator& accelerator, const Pmu& pmu)
    : accelerator_(accelerator), pmu_(pmu), cycle_(static_cast<std::size_t>(accelerator.pmu_counters)) {
  counters_.resize(cycle_ + 1);
}

void CounterBlock::reset() {
  counters_.assign(counters_.size(), {});
  control_ = enabled_ = overflowed_ = interrupts_ = told_ = channel_ = lookup_ = 0;
  configure_cycles(0);
}

void CounterBlock::save(StateWriter& state) {
  settle();
  for (const Counter& counter : counters_) {
    state.add_long(counter.value);
    state.add(counter.event);
  }
  for (const std::uint32_t word :
       {control_, enabled_, overflowed_, interrupts_, told_, channel_, lookup_, cycle_config_, std::uint32_t{open_}})
    state.add(word);
}

void CounterBlock::restore(StateReader& state) {
  for (Counter& counter : counters_) {
    counter = {};
    counter.value = state.next_long();
    counter.event = state.next();
  }
  for (std::uint32_t* word : {&control_, &enabled_, &overflowed_, &interrupts_, &told_, &channel_, &lookup_})
    *word = state.next();
  configure_cycles(state.next());
  open_ = state.next() != 0;
  resume();
}

std::uint64_t CounterBlock::count(std::uint32_t number) const {
  if (number == kCycle32) return whole_cycles(now()).count();
  // A run without a host has no idle time, so the model does not count this event.
  if (number == kIdle) return whole_cycles(now()).count() - count(kActive);
  const PmuEventRow* event = find_pmu_event(accelerator_.family, number);
  return event ? pmu_.count(*event).value_or(0) : 0;
}

std::uint64_t CounterBlock::source(std::size_t index) const {
  return count(index == cycle_ ? kCycle32 : counters_[index].event);
}

std::uint64_t CounterBlock::most(std::size_t index) const { return index == cycle_ ? kCycleMask : UINT32_MAX; }

/// Updates every counter; overflows set their flags.
void CounterBlock::settle() {
  for (std::size_t i = 0; i < counters_.size(); ++i) {
    Counter& counter = counters_[i];
    if (!counter.counting) continue;
    const std::uint64_t at = source(i), sum = counter.value + (at - counter.since);
    if (sum > most(i)) overflowed_ |= bit(i);
    counter.value = sum & most(i);
    counter.since = at;
  }
}

void CounterBlock::resume() {
  const bool on = (control_ & kCountEnable) && (unmasked_ || !(control_ & kMaskEnable));
  for (std::size_t i = 0; i < counters_.size(); ++i) {
    Counter& counter = counters_[i];
    counter.counting = on && (enabled_ & bit(i)) && (open_ || i != cycle_);
    counter.since = source(i);
  }
}

bool CounterBlock::happens(Trigger& trigger) const {
  switch (trigger.event) {
    case 0: return false;
    case kCycle32: return true;
    case kActive: return running_;
    case kIdle: return !running_;
    default: break;
  }
  const std::uint64_t at = count(trigger.event);
  return std::exchange(trigger.seen, at) != at;
}

void CounterBlock::look(bool running, bool unmasked) {
  settle();
  running_ = running;
  unmasked_ = unmasked;
  const bool starts = happens(start_), stops = happens(stop_);
  open_ = open_ ? !stops : starts;
  resume();
}

bool CounterBlock::take_interrupt() {
  settle();
  const std::uint32_t due = overflowed_ & interrupts_;
  return (due & ~std::exchange(told_, due)) != 0;
}

std::optional<Ticks> CounterBlock::next_look() const {
  std::optional<Ticks> next;
  const auto at = [&next](std::uint64_t cycles) {
    next = std::min(next.value_or(Ticks(UINT64_MAX)), ticks(Cycles(cycles)));
  };
  const bool triggered = (enabled_ & bit(cycle_)) && running_;
  for (const Trigger* trigger : {&start_, &stop_})
    if (triggered && trigger->event != 0 && !is_steady(trigger->event)) at(1);
  for (std::size_t i = 0; i < counters_.size(); ++i) {
    if (!counters_[i].counting || !(interrupts_ & bit(i)) || (overflowed_ & bit(i))) continue;
    const std::uint32_t event = i == cycle_ ? kCycle32 : counters_[i].event;
    const std::uint64_t left = most(i) - counters_[i].value + 1;
    if (is_steady(event)) at(left);
    else if (running_) at(left > kSurge ? (left - kSurge) / kMostInACycle + 1 : 1);
  }
  return next;
}

std::uint32_t CounterBlock::read(const MmioRegisterRow& row, unsigned index, unsigned word) {
  settle();
  if (row.name == "PMCR") return control_ | static_cast<std::uint32_t>(cycle_) << 11;
  if (row.name == "PMCNTENSET" || row.name == "PMCNTENCLR") return enabled_;
  if (row.name == "PMOVSSET" || row.name == "PMOVSCLR") return overflowed_;
  if (row.name == "PMINTSET" || row.name == "PMINTCLR") return interrupts_;
  if (row.name == "PMCCNTR") return static_cast<std::uint32_t>(counters_[cycle_].value >> (32 * word));
  if (row.name == "PMEVCNTR") return static_cast<std::uint32_t>(counters_[index].value);
  if (row.name == "PMEVTYPER") return counters_[index].event;
  if (row.name == "PMCCNTR_CFG") return cycle_config_;
  return row.name == "PMCAXI_CHAN" ? channel_ : lookup_;
}

void CounterBlock::reset_counters(std::uint32_t control) {
  control_ = control & (kCountEnable | kMaskEnable);
  for (std::size_t i = 0; i < counters_.size(); ++i)
    if (control & (i == cycle_ ? kResetCycles : kResetEvents)) counters_[i].value = 0;
}

void CounterBlock::configure_cycles(std::uint32_t value) {
  cycle_config_ = value;
  start_ = {value & kEventMask, count(value & kEventMask)};
  stop_ = {value >> kStopEvent & kEventMask, count(value >> kStopEvent & kEventMask)};
  open_ = start_.event == 0 || happens(start_);
}

void CounterBlock::write(const MmioRegisterRow& row, unsigned index, unsigned word, std::uint32_t value) {
  settle();
  const std::uint32_t all = ((1u << cycle_) - 1) | bit(cycle_);
  if (row.name == "PMCR") {
    reset_counters(value);
  } else if (row.name == "PMCNTENSET") {
    enabled_ |= value & all;
  } else if (row.name == "PMCNTENCLR") {
    enabled_ &= ~value;
  } else if (row.name == "PMOVSSET") {
    overflowed_ |= value & all;
  } else if (row.name == "PMOVSCLR") {
    overflowed_ &= ~value;
  } else if (row.name == "PMINTSET") {
    interrupts_ |= value & all;
  } else if (row.name == "PMINTCLR") {
    interrupts_ &= ~value;
  } else if (row.name == "PMCCNTR") {
    Counter& counter = counters_[cycle_];
    const std::uint64_t part = std::uint64_t{value} << (32 * word),
                        rest = word ? UINT32_MAX : ~std::uint64_t{UINT32_MAX};
    counter.value = ((counter.value & rest) | part) & kCycleMask;
  } else if (row.name == "PMEVCNTR") {
    counters_[index].value = value;
  } else if (row.name == "PMEVTYPER") {
    counters_[index].event = value & kEventMask;
  } else if (row.name == "PMCCNTR_CFG") {
    configure_cycles(value);
  } else if (row.name == "PMCAXI_CHAN") {
    channel_ = value;
  } else {
    lookup_ = value;
  }
  resume();
}

}  // namespace macaw::npu::timed
