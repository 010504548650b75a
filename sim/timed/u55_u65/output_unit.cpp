#include "sim/timed/u55_u65/output_unit.hpp"

#include <algorithm>

namespace macaw::npu::timed::u55_u65 {
namespace {

constexpr std::uint64_t kSlices = 4;
constexpr Beats kLeastOfSlice{8};

/// Elements of a block, including those for which lanes of missing channels take time.
std::uint64_t turned_out(const OfmBlock& block, std::uint64_t lanes) {
  const auto channels = std::uint64_t(block.box.c());
  return channels == 0 ? block.elements : block.elements / channels * ((channels + lanes - 1) / lanes * lanes);
}

}  // namespace

OutputUnit::OutputUnit(const sc_core::sc_module_name& name, const CoreConfig& config, Pmu& pmu)
    : sc_core::sc_module(name), config_(config), pmu_(pmu) {
  SC_THREAD(run);
}

void OutputUnit::put_out(const JobRef& job) {
  KernelRun& run = *job->run;
  const Beats beats = config_.beats(job->block.writes);
  const std::uint64_t count = std::clamp<std::uint64_t>(beats / kLeastOfSlice, 1, kSlices);
  const Ticks total = ticks(static_cast<double>(turned_out(job->block, run.out_lanes)) * run.output_per_element);
  for (std::uint64_t i = 1; i <= count; ++i) {
    const Ticks part = total * i / count - total * (i - 1) / count;
    activity_.begin(run.command);
    wait_for(part);
    activity_.end();
    // Counted before the last slice is written, because the operation may end after that.
    job->spend(&UnitTimes::output_unit, part);
    pmu_.add(output_work(run.op), part);
    pmu_.stalled(Cause::kAoNoRoom, [&] { slices->write({job, beats * i / count, i == count, {}}); });
  }
  // Time until the unit accepts the next block; as in AO_ACTIVE and the timeline, the unit is not busy in it.
  wait_for(ticks(run.output_start));
  run.computed = now();
}

void OutputUnit::run() {
  for (;;) {
    const JobRef job = blocks->read();
    if (job->run->op.kind == OpKind::kElementwise) {
      const IfmStepRef step = pmu_.stalled(Cause::kAoNoOperands, [&] {
        IfmStepRef next = elementwise_steps->read();
        if (next->slot >= 0) ram->ifm(next->slot).wait_filled();
        return next;
      });
      put_out(job);
      if (step->slot >= 0) ram->release_ifm(step->slot);
    } else {
      pmu_.stalled(Cause::kAoNoAccumulators, [&] { accumulated->read(); });
      put_out(job);
      ram->release_accumulator();
    }
  }
}

}  // namespace macaw::npu::timed::u55_u65
