#include "sim/timed/u55_u65/mac_array.hpp"

#include <algorithm>

namespace macaw::npu::timed::u55_u65 {

MacArray::MacArray(const sc_core::sc_module_name& name, Pmu& pmu) : sc_core::sc_module(name), pmu_(pmu) {
  SC_THREAD(run);
}

void MacArray::multiply(IfmStep& step) {
  const MacWork& work = step.ifm.mac;
  KernelRun& run = *step.job->run;
  if (run.mac_pass > Ticks()) wait_for(run.mac_pass);
  for (std::uint64_t left = work.weight_blocks; left > 0;) {
    std::uint64_t group = left;
    if (work.uses_weights) {
      if (decoded_ == 0) {
        decoded_ = pmu_.stalled(Cause::kMacNoWeights, [&] { return weight_blocks->read(); });
      }
      group = std::min(left, decoded_);
      decoded_ -= group;
    }
    const Ticks busy = ticks(Cycles(group * work.cycles));
    activity_.begin(run.command);
    wait_for(busy);
    activity_.end();
    left -= group;
    step.job->spend(&UnitTimes::mac, busy);
    pmu_.add(mac_work(run.op), busy);
  }
}

void MacArray::run() {
  for (;;) {
    const IfmStepRef step = steps->read();
    if (step->ifm.first) pmu_.stalled(Cause::kMacNoAccumulator, [&] { ram->claim_accumulator(); });
    if (step->slot >= 0) pmu_.stalled(Cause::kMacNoIfm, [&] { ram->ifm(step->slot).wait_filled(); });
    multiply(*step);
    if (step->slot >= 0) ram->release_ifm(step->slot);
    if (step->ifm.last) accumulated->write(step->job);
  }
}

}  // namespace macaw::npu::timed::u55_u65
