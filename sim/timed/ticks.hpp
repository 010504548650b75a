#pragma once
#include <macaw/units.hpp>

#include <algorithm>
#include <cmath>
#include <systemc>
#include <utility>

// Simulated time, and its conversion from and to SystemC's time. Fitted fractions of a cycle (a beat rate of 1.5) add
// up in ticks instead of being rounded away.
namespace macaw::npu::timed {

using macaw::Beats;
using macaw::Cycles;
using macaw::Ticks;

inline constexpr Ticks kCycle{1000};

/// Ticks that a beat takes.
using Pace = Quantity<struct PaceUnit>;
inline constexpr Pace kBeatEachCycle{kCycle.count()};
[[nodiscard]] constexpr Ticks operator*(Beats beats, Pace pace) { return Ticks(beats.count() * pace.count()); }

[[nodiscard]] constexpr Ticks ticks(Cycles cycles) { return cycles.count() * kCycle; }
/// Converts cycles of a parameter, rounded to a tick; negative values become 0, and 10^15 cycles are the maximum.
[[nodiscard]] inline Ticks ticks(double cycles) {
  constexpr double kMost = 1e15;
  return Ticks(cycles > 0 ? static_cast<std::uint64_t>(
                                std::llround(std::min(cycles, kMost) * static_cast<double>(kCycle.count())))
                          : 0);
}
/// Converts cycles per beat of a parameter.
[[nodiscard]] inline Pace pace(double cycles) { return Pace(ticks(cycles).count()); }
/// Whole cycles that a span of time covers, rounded up.
[[nodiscard]] constexpr Cycles whole_cycles(Ticks t) { return Cycles((t + kCycle - Ticks(1)) / kCycle); }

[[nodiscard]] inline Ticks ticks(const sc_core::sc_time& time) { return Ticks(time.value()); }
[[nodiscard]] inline sc_core::sc_time to_time(Ticks t) { return sc_core::sc_time::from_value(t.count()); }
/// A process that no other activity can precede continues by itself instead of yielding to the kernel, whose time then
/// stays behind that of the simulation until the next event.
struct RunAhead {
  Ticks time{};             ///< time that a process has reached
  Ticks limit{};            ///< no process continues by itself to this time or beyond; 0: never
  std::uint64_t steps = 0;  ///< how often a process did
};
/// Limit and steps of running ahead in the current simulation.
inline RunAhead run_ahead;

/// Whether processes may run ahead: units are not observed while time passes, so a process may act before its effect is
/// due.
[[nodiscard]] inline bool may_run_ahead() { return run_ahead.limit > Ticks(); }

[[nodiscard]] inline Ticks kernel_time() { return ticks(sc_core::sc_curr_simcontext->time_stamp()); }
/// The time of the entered simulation.
[[nodiscard]] inline Ticks now() { return std::max(kernel_time(), run_ahead.time); }
/// Increases with every delta cycle, and whenever time passes without one.
[[nodiscard]] inline std::uint64_t delta_cycle() {
  return sc_core::sc_curr_simcontext->delta_count() + run_ahead.steps;
}
/// Delay after which the kernel reaches `t`; a delta cycle if `t` has passed.
[[nodiscard]] inline sc_core::sc_time delay_until(Ticks t) { return to_time(t > now() ? t - kernel_time() : Ticks()); }

/// Suspends the calling process for a span of time; for a delta cycle if it is empty.
inline void wait_for(Ticks span) {
  const Ticks t = now() + span;
  if (span > Ticks() && t < run_ahead.limit &&
      ticks(sc_core::sc_time_to_pending_activity(sc_core::sc_curr_simcontext)) > t - kernel_time()) {
    run_ahead.time = t;
    ++run_ahead.steps;
    return;
  }
  sc_core::wait(delay_until(t), sc_core::sc_curr_simcontext);
}
/// Suspends the calling process until `t`; returns at once if that has passed.
inline void wait_until(Ticks t) {
  if (t > now()) wait_for(t - now());
}

}  // namespace macaw::npu::timed
