#pragma once
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <systemc>

namespace macaw::npu::sc {

/// Simulated time. One NPU clock cycle is 1000 kernel ticks, so that fitted fractions of a cycle (a beat rate of 1.5)
/// add up instead of rounding away.
using Ticks = std::uint64_t;
constexpr Ticks kTicksPerCycle = 1000;

[[nodiscard]] inline Ticks ticks(double cycles) {
  constexpr double kMost = 1e15;  // cycles; more than any run may take
  return cycles > 0 ? static_cast<Ticks>(std::llround(std::min(cycles, kMost) * static_cast<double>(kTicksPerCycle)))
                    : 0;
}
[[nodiscard]] inline Ticks now() { return sc_core::sc_time_stamp().value(); }
[[nodiscard]] inline sc_core::sc_time to_time(Ticks t) { return sc_core::sc_time::from_value(t); }
/// Whole cycles that a span of ticks covers, rounded up.
[[nodiscard]] inline std::uint64_t whole_cycles(Ticks t) { return (t + kTicksPerCycle - 1) / kTicksPerCycle; }

/// Suspends the calling process until `t`; returns at once if that has passed.
inline void wait_until(Ticks t) {
  if (t > now()) sc_core::wait(to_time(t - now()));
}

}  // namespace macaw::npu::sc
