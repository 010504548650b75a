#pragma once
#include "sim/sc/job.hpp"
#include "sim/sc/pmu.hpp"

namespace macaw::npu::sc {

/// Suspends the caller until an OFM block may start to load: block i of an operation with BLOCKDEP b when at most
/// max(0, b-1-i) blocks of the previous operation are unfinished, and `delay` has passed since the last of those that
/// had to finish did.
void wait_for_previous(Job& job, Ticks delay, Pmu& pmu);

}  // namespace macaw::npu::sc
