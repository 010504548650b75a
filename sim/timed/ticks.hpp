#pragma once
#include <macaw/units.hpp>

#include <algorithm>
#include <cmath>
#include <systemc>
#include <utility>

// Simulated time, and the way from SystemC's time to it and back. Fitted fractions of a cycle (a beat rate of 1.5) add
// up in ticks instead of rounding away.
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
/// Cycles from a parameter: rounded to a tick; nothing below 0, and no more than any run may take.
[[nodiscard]] inline Ticks ticks(double cycles) {
  constexpr double kMost = 1e15;
  return Ticks(cycles > 0 ? static_cast<std::uint64_t>(
                                std::llround(std::min(cycles, kMost) * static_cast<double>(kCycle.count())))
                          : 0);
}
/// Cycles per beat from a parameter.
[[nodiscard]] inline Pace pace(double cycles) { return Pace(ticks(cycles).count()); }
/// Whole cycles that a span of time covers, rounded up.
[[nodiscard]] constexpr Cycles whole_cycles(Ticks t) { return Cycles((t + kCycle - Ticks(1)) / kCycle); }

[[nodiscard]] inline Ticks ticks(const sc_core::sc_time& time) { return Ticks(time.value()); }
[[nodiscard]] inline sc_core::sc_time to_time(Ticks t) { return sc_core::sc_time::from_value(t.count()); }
/// A process that nothing else can precede goes on by itself instead of giving its turn to the kernel, whose time then
/// stays behind that of the simulation until something else happens.
struct RunAhead {
  Ticks time{};             ///< that a process has reached
  Ticks limit{};            ///< none goes on by itself to this time; 0: none ever does
  std::uint64_t steps = 0;  ///< how often one did
};
/// Limit and steps of running ahead in the current simulation.
inline RunAhead run_ahead;

/// Whether processes may run ahead: units are not observed while time passes, so one may do early what shows later.
[[nodiscard]] inline bool may_run_ahead() { return run_ahead.limit > Ticks(); }

[[nodiscard]] inline Ticks kernel_time() { return ticks(sc_core::sc_curr_simcontext->time_stamp()); }
/// The time of the simulation that is entered.
[[nodiscard]] inline Ticks now() { return std::max(kernel_time(), run_ahead.time); }
/// Grows with every delta cycle, and wherever time passes without one.
[[nodiscard]] inline std::uint64_t delta_cycle() {
  return sc_core::sc_curr_simcontext->delta_count() + run_ahead.steps;
}
/// Time that the kernel has to wait for `t`; a delta cycle if it has passed.
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
