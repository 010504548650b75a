#pragma once
#include <macaw/npu/accelerator.hpp>
#include "sim/config/system_config.hpp"

#include <algorithm>
#include <cmath>

namespace macaw::npu::timed {

/// Highest sustained one-way bandwidth of the memory of a side, all ports together.
[[nodiscard]] inline double bytes_per_cycle(const Accelerator& accelerator, int ports, const MemoryTiming& memory,
                                            double cap_share) {
  const double beat_bytes = accelerator.beat_bytes;
  double bus = ports * beat_bytes;
  if (memory.beats_per_cycle != 0) bus = std::min(bus, memory.beats_per_cycle * beat_bytes);
  const double left = 1 - memory.traffic;
  if (memory.pulse_on == 0) return left * bus;
  const double window = static_cast<double>(memory.pulse_on) + memory.pulse_off;
  const double open = bus * memory.pulse_on / window;
  if (memory.bandwidth_cap == 0) return left * open;
  // As in TimingAdapter: every port adds a cap, and the last transaction of a window may exceed the sum.
  const double cap = std::round(memory.bandwidth_cap * cap_share * ports * left);
  return std::min(left * open, ((cap - 1) * beat_bytes + accelerator.burst_bytes) / window);
}

}  // namespace macaw::npu::timed
