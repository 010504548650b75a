#pragma once
#include <macaw/npu/timed_simulator.hpp>

#include "sim/config/setup.hpp"

#include <map>

namespace macaw::npu {

/// Properties that a run shares with others whose NPU_ACTIVE is off by about as much. "any" in a row of intervals.def
/// fits every run.
struct RunKind {
  std::string_view family;   ///< "U55"
  std::string_view adapter;  ///< timing adapter "on" or "off"
  std::string_view memory;   ///< "own" (memory mode that was measured most), "mode" (another), "registers" (overridden)
  std::string_view bound;    ///< what takes most time: "compute" or "memory" (ports, latencies, waiting)
  std::string_view length;   ///< "short" or "long"
};

/// A run as the intervals see it.
struct RunProfile {
  RunKind kind;
  std::map<std::string, double> work;            ///< share of the cycles by OperationTiming::work
  std::map<std::string, double> registers = {};  ///< of the timing adapter where it is on: "axi1.read_latency"
};

/// Half the width of the interval of a kind of run.
struct KindInterval {
  RunKind kind;
  double half_width = 0,
         coverage = 0;         ///< relative to the cycles; share of unseen runs whose measured cycles are inside
  int runs = 0, networks = 0;  ///< that it is from; 0: widened from other kinds
};
/// A kind of work that took a twentieth of the cycles of a measured run or more.
struct MeasuredWork {
  std::string family, work;
};
/// Between which values a register of the timing adapter was when runs were measured.
struct MeasuredRegister {
  std::string family, name;
  double least = 0, most = 0;
};

/// The measurements that the intervals rest on.
struct IntervalTable {
  std::vector<KindInterval> kinds;  ///< the first that fits counts
  std::vector<MeasuredWork> work;
  std::vector<MeasuredRegister> registers;
};
/// The table of sim/config/intervals.def.
[[nodiscard]] const IntervalTable& measured_intervals();
/// The first of `rows` that fits; nullptr: none does.
[[nodiscard]] const KindInterval* find_interval(const RunKind& kind, std::span<const KindInterval> rows);

/// Share of the cycles of a measured run from which on a kind of work counts as measured.
inline constexpr double kMeasuredShare = 0.05;
/// An interval wider than this, either way, says nothing that one could plan with.
inline constexpr double kWidestInterval = 0.15;

struct IntervalEstimate {
  double half_width = 0;  ///< relative to the cycles
  const KindInterval* row = nullptr;
  double unmeasured = 0;        ///< share of the cycles in kinds of work that were not measured
  std::string unmeasured_work;  ///< the largest of them
};
/// The interval that a table gives to a run; in words why there is none: a register outside of what was measured, too
/// much work of kinds that were not measured, a kind of run that was off by more than kWidestInterval.
[[nodiscard]] tl::expected<IntervalEstimate, std::string> estimate(const RunProfile& run, const IntervalTable& table);

/// The profile of a run by its cycles and operations; why there is none, in words, on other systems than the default of
/// the accelerator and with overridden constants.
[[nodiscard]] tl::expected<RunProfile, std::string> profile_of(const Accelerator& accelerator, const Setup& setup,
                                                               const TimedResult& run);
/// The interval in which the measured cycles of the run would be, or why there is none.
[[nodiscard]] tl::expected<CyclesInterval, std::string> interval_of(const Accelerator& accelerator, const Setup& setup,
                                                                    const TimedResult& run);

}  // namespace macaw::npu
