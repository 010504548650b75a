#pragma once
#include <macaw/npu/timed_simulator.hpp>

#include "sim/config/setup.hpp"

#include <map>

namespace macaw::npu {

/// Properties shared by runs whose predictions of NPU_ACTIVE have similar errors. "any" in a row of intervals.def
/// matches every run.
struct RunKind {
  std::string_view family;   ///< "U55"
  std::string_view adapter;  ///< timing adapter "on" or "off"
  std::string_view memory;   ///< "own" (the memory mode that was measured most), "mode" (another), "registers"
                             ///< (overridden)
  std::string_view bound;    ///< limiting factor: "compute" or "memory" (ports, latencies, waiting)
  std::string_view length;   ///< "short" or "long"
};

/// Properties of a run that determine its interval.
struct RunProfile {
  RunKind kind;
  std::map<std::string, double> work;            ///< share of the cycles by OperationTiming::work
  std::map<std::string, double> registers = {};  ///< of the timing adapter, if it is on: "axi1.read_latency"
};

/// Half the width of the interval of a kind of run.
struct KindInterval {
  RunKind kind;
  double half_width = 0,
         coverage = 0;         ///< relative to the cycles; share of unseen runs whose measured cycles are inside
  int runs = 0, networks = 0;  ///< that it is derived from; 0: widened from other kinds
};
/// A kind of work with at least a twentieth of the cycles of a measured run.
struct MeasuredWork {
  std::string family, work;
};
/// Range of a register of the timing adapter over the measured runs.
struct MeasuredRegister {
  std::string family, name;
  double least = 0, most = 0;
};

/// The measurements that the intervals are derived from.
struct IntervalTable {
  std::vector<KindInterval> kinds;  ///< the first match applies
  std::vector<MeasuredWork> work;
  std::vector<MeasuredRegister> registers;
};
/// The table of sim/config/intervals.def.
[[nodiscard]] const IntervalTable& measured_intervals();
/// Returns the first of `rows` that matches; nullptr if none does.
[[nodiscard]] const KindInterval* find_interval(const RunKind& kind, std::span<const KindInterval> rows);

/// Minimum share of the cycles of a measured run for a kind of work to count as measured.
inline constexpr double kMeasuredShare = 0.05;
/// An interval wider than this in either direction is too wide for planning.
inline constexpr double kWidestInterval = 0.15;

struct IntervalEstimate {
  double half_width = 0;  ///< relative to the cycles
  const KindInterval* row = nullptr;
  double unmeasured = 0;        ///< share of the cycles in kinds of work that were not measured
  std::string unmeasured_work;  ///< the largest of these kinds
};
/// Returns the interval of a run from a table, or in words why there is none: a register outside the measured range,
/// too much work of kinds that were not measured, a kind of run whose errors exceed kWidestInterval.
[[nodiscard]] tl::expected<IntervalEstimate, std::string> estimate(const RunProfile& run, const IntervalTable& table);

/// Returns the profile of a run from its cycles and operations, or in words why there is none: a system other than the
/// accelerator's default, or overridden constants.
[[nodiscard]] tl::expected<RunProfile, std::string> profile_of(const Accelerator& accelerator, const Setup& setup,
                                                               const TimedResult& run);
/// Returns the interval in which the measured cycles of the run are expected, or why there is none.
[[nodiscard]] tl::expected<CyclesInterval, std::string> interval_of(const Accelerator& accelerator, const Setup& setup,
                                                                    const TimedResult& run);

}  // namespace macaw::npu
