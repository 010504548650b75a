#include "sim/sc/u85/mac_array.hpp"

#include <algorithm>

namespace macaw::npu::sc::u85 {

MacArray::MacArray(const sc_core::sc_module_name& name, Pmu& pmu) : sc_core::sc_module(name), pmu_(pmu) {
  SC_THREAD(run);
}

void MacArray::multiply(const StepRef& step) {
  KernelRun& run = *step->job->run;
  const MacUnits units(step->ifm, run.op);
  const bool weights = decodes_weights(run.op);
  const std::uint64_t ublocks = std::max<std::uint64_t>(step->job->block.ublocks_xy, 1);
  Ticks busy = 0;
  for (std::uint64_t unit = 0; unit < units.count(); ++unit) {
    if (weights) {
      const Ticks since = now();
      weight_blocks->read();
      pmu_.add(CoreEvent::kMacStalledByWeights, now() - since);
      pmu_.add(CoreEvent::kMacStalledByWeightsOrAcc, now() - since);
    }
    const Ticks length = units.cycles(unit) * kTicksPerCycle;
    busy += length;
    activity_.begin(run.command);
    if (step->ifm.last && units.in_last_group(unit)) {
      const Ticks end = now() + length, ublock = length / ublocks;
      sc_core::wait(to_time(ublock));
      columns->write({step->job, unit % units.columns(), end, ublock});
      wait_until(end);
    } else if (length > 0) {
      sc_core::wait(to_time(length));
    }
    activity_.end();
  }
  step->job->spend(&UnitTimes::mac, busy);
  pmu_.add(CoreEvent::kMacActive, busy);
  pmu_.add(run.op.ifm.bits == 32   ? CoreEvent::kMacActive32
           : run.op.ifm.bits == 16 ? CoreEvent::kMacActive16
                                   : CoreEvent::kMacActive8,
           busy);
}

void MacArray::run() {
  for (;;) {
    const StepRef step = steps->read();
    if (step->ifm.first) {
      const Ticks since = now();
      ram->claim_accumulator(*step->job->run);
      pmu_.add(CoreEvent::kMacStalledByAcc, now() - since);
      pmu_.add(CoreEvent::kMacStalledByWeightsOrAcc, now() - since);
    }
    const Ticks since = now();
    wait_until(step->ready);
    pmu_.add(CoreEvent::kMacStalledByIfm, now() - since);
    multiply(step);
    if (step->slot >= 0) ram->release(step->slot);
  }
}

}  // namespace macaw::npu::sc::u85
