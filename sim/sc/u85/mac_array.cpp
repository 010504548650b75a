#include "sim/sc/u85/mac_array.hpp"

#include <algorithm>

namespace macaw::npu::sc::u85 {

MacArray::MacArray(const sc_core::sc_module_name& name, Pmu& pmu) : sc_core::sc_module(name), pmu_(pmu) {
  SC_THREAD(run);
}

void MacArray::multiply(const IfmStepRef& step) {
  KernelRun& run = *step->job->run;
  const MacUnits units(step->ifm, run.op);
  const bool weights = decodes_weights(run.op);
  const std::uint64_t ublocks = std::max<std::uint64_t>(step->job->block.ublocks_xy, 1);
  Ticks busy;
  for (std::uint64_t unit = 0; unit < units.count(); ++unit) {
    if (weights) pmu_.stalled(Cause::kMacNoWeights, [&] { weight_blocks->read(); });
    const Ticks length = ticks(units.cycles(unit));
    if (unit % units.columns() == 0 && run.mac_pass > Ticks()) wait_for(run.mac_pass);
    busy += length;
    activity_.begin(run.command);
    if (step->ifm.last && units.in_last_group(unit)) {
      const Ticks end = now() + length, ublock = length / ublocks;
      wait_for(ublock);
      columns->write({step->job, unit % units.columns(), end, ublock});
      wait_until(end);
    } else if (length > Ticks()) {
      wait_for(length);
    }
    activity_.end();
  }
  step->job->spend(&UnitTimes::mac, busy);
  pmu_.add(mac_work(run.op), busy);
}

void MacArray::run() {
  for (;;) {
    const IfmStepRef step = steps->read();
    if (step->ifm.first) pmu_.stalled(Cause::kMacNoAccumulator, [&] { ram->claim_accumulator(*step->job->run); });
    pmu_.stalled(Cause::kMacNoIfm, [&] { wait_until(step->ready); });
    multiply(step);
    if (step->slot >= 0) ram->release(step->slot);
  }
}

}  // namespace macaw::npu::sc::u85
