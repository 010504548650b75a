#include "sim/timed/blockdep.hpp"

#include <algorithm>

namespace macaw::npu::timed {

void wait_for_previous(Job& job, Ticks delay, Pmu& pmu) {
  KernelRun& run = *job.run;
  if (!run.previous) return;
  const KernelRun& previous = *run.previous;
  const std::int64_t blockdep = std::min<std::int64_t>(run.op.blockdep, KernelRun::kFinishTimes - 1);
  const auto allowed =
      static_cast<std::uint64_t>(std::max<std::int64_t>(0, blockdep - 1 - static_cast<std::int64_t>(job.block.index)));
  const std::uint64_t needed = previous.blocks - std::min(previous.blocks, allowed);
  const Ticks since = now();
  pmu.stalled(Cause::kBlockdep, [&] {
    while (previous.finished < needed) sc_core::wait(*run.progress);
    if (needed > 0) wait_until(previous.finish_times[(needed - 1) % KernelRun::kFinishTimes] + delay);
  });
  // Whether an event scheduled for the current time has fired is unspecified, so do not depend on it.
  const bool finished =
      previous.finished == previous.blocks &&
      (needed == previous.blocks || previous.finish_times[(previous.blocks - 1) % KernelRun::kFinishTimes] < now());
  if (finished) run.dependency += now() - std::clamp(previous.computed, since, now());
  if (allowed == 0) run.previous.reset();
}

}  // namespace macaw::npu::timed
