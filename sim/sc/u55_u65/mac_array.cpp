#include "sim/sc/u55_u65/mac_array.hpp"

#include <algorithm>

namespace macaw::npu::sc::u55_u65 {

MacArray::MacArray(const sc_core::sc_module_name& name, Pmu& pmu) : sc_core::sc_module(name), pmu_(pmu) {
  SC_THREAD(run);
}

void MacArray::multiply(Step& step) {
  const MacWork& work = step.ifm.mac;
  KernelRun& run = *step.job->run;
  for (std::uint64_t left = work.weight_blocks; left > 0;) {
    std::uint64_t group = left;
    if (work.uses_weights) {
      if (decoded_ == 0) {
        const Ticks since = now();
        decoded_ = weight_blocks->read();
        pmu_.add(CoreEvent::kMacStalledByWeights, now() - since);
        pmu_.add(CoreEvent::kMacStalledByWeightsOrAcc, now() - since);
      }
      group = std::min(left, decoded_);
      decoded_ -= group;
    }
    const Ticks busy = group * work.cycles * kTicksPerCycle;
    activity_.begin(run.command);
    sc_core::wait(to_time(busy));
    activity_.end();
    left -= group;
    step.job->spend(&UnitTimes::mac, busy);
    pmu_.add(CoreEvent::kMacActive, busy);
    pmu_.add(run.op.ifm.bits == 32   ? CoreEvent::kMacActive32
             : run.op.ifm.bits == 16 ? CoreEvent::kMacActive16
                                     : CoreEvent::kMacActive8,
             busy);
  }
}

void MacArray::run() {
  for (;;) {
    const StepRef step = steps->read();
    if (step->ifm.first) {
      const Ticks since = now();
      ram->claim_accumulator();
      pmu_.add(CoreEvent::kMacStalledByAcc, now() - since);
      pmu_.add(CoreEvent::kMacStalledByWeightsOrAcc, now() - since);
    }
    if (step->slot >= 0) {
      const Ticks since = now();
      ram->ifm(step->slot).wait_filled();
      pmu_.add(CoreEvent::kMacStalledByIfm, now() - since);
    }
    multiply(*step);
    if (step->slot >= 0) ram->release_ifm(step->slot);
    if (step->ifm.last) accumulated->write(step->job);
  }
}

}  // namespace macaw::npu::sc::u55_u65
