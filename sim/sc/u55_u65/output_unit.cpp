#include "sim/sc/u55_u65/output_unit.hpp"

#include <algorithm>

namespace macaw::npu::sc::u55_u65 {
namespace {

constexpr std::uint64_t kSlices = 4;
constexpr std::uint64_t kLeastBeatsPerSlice = 8;

}  // namespace

OutputUnit::OutputUnit(const sc_core::sc_module_name& name, const CoreConfig& config, Pmu& pmu)
    : sc_core::sc_module(name), config_(config), pmu_(pmu) {
  SC_THREAD(run);
}

void OutputUnit::put_out(const JobRef& job) {
  KernelRun& run = *job->run;
  const std::uint64_t beats = job->block.writes.beats(static_cast<unsigned>(config_.accelerator.beat_bytes));
  const std::uint64_t count = std::clamp<std::uint64_t>(beats / kLeastBeatsPerSlice, 1, kSlices);
  const Ticks total = ticks(static_cast<double>(job->block.elements) * run.output_per_element);
  const Ticks start = ticks(run.output_start);
  for (std::uint64_t i = 1; i <= count; ++i) {
    activity_.begin(run.command);
    sc_core::wait(to_time(total * i / count - total * (i - 1) / count));
    activity_.end();
    const Ticks since = now();
    slices->write({job, beats * i / count, i == count});
    pmu_.add(CoreEvent::kAoStalledByOutput, now() - since);
  }
  activity_.begin(run.command);
  sc_core::wait(to_time(start));
  activity_.end();
  job->spend(&UnitTimes::output_unit, total + start);
  run.computed = now();
  pmu_.add(CoreEvent::kAoActive, total);
  pmu_.add(run.op.ofm.bits == 8 ? CoreEvent::kAoActive8 : CoreEvent::kAoActive16, total);
}

void OutputUnit::run() {
  for (;;) {
    const JobRef job = blocks->read();
    const Ticks since = now();
    if (job->run->op.kind == OpKind::kElementwise) {
      const StepRef step = elementwise_steps->read();
      if (step->slot >= 0) ram->ifm(step->slot).wait_filled();
      pmu_.add(CoreEvent::kAoStalledByIfm, now() - since);
      pmu_.add(CoreEvent::kAoStalledByAccOrIfm, now() - since);
      put_out(job);
      if (step->slot >= 0) ram->release_ifm(step->slot);
    } else {
      accumulated->read();
      pmu_.add(CoreEvent::kAoStalledByAcc, now() - since);
      pmu_.add(CoreEvent::kAoStalledByAccOrIfm, now() - since);
      put_out(job);
      ram->release_accumulator();
    }
  }
}

}  // namespace macaw::npu::sc::u55_u65
