#pragma once
#include "sim/timed/job.hpp"
#include "sim/timed/pmu.hpp"

namespace macaw::npu::timed {

/// Suspends the caller until an OFM block may start to load: block i of an operation with BLOCKDEP b may start when at
/// most max(0, b-1-i) blocks of the previous operation are unfinished, and `delay` has passed since the last of the
/// blocks that had to finish.
void wait_for_previous(Job& job, Ticks delay, Pmu& pmu);

}  // namespace macaw::npu::timed
