#pragma once
#include <macaw/npu/timed_simulator.hpp>

#include "sim/config/setup.hpp"

namespace macaw::npu {

/// What a run has in common with others whose NPU_ACTIVE is off by about as much. "any" in a row of intervals.def fits
/// every run.
struct RunKind {
  std::string_view family;   ///< "U55"
  std::string_view adapter;  ///< timing adapter "on" or "off"
  std::string_view memory;   ///< "own" (memory mode that was measured most), "mode" (another), "registers" (overridden)
  std::string_view bound;    ///< what takes most time: "compute" or "memory" (ports, latencies, waiting)
  std::string_view length;   ///< "short" or "long"
};

/// Half the width of the interval of a kind of run.
struct KindInterval {
  RunKind kind;
  double half_width = 0,
         coverage = 0;         ///< relative to the cycles; share of unseen runs whose measured cycles are inside
  int runs = 0, networks = 0;  ///< that it is from; 0: widened from other kinds
};
[[nodiscard]] std::span<const KindInterval> kind_intervals();
/// The first of `rows` that fits; nullptr: none does.
[[nodiscard]] const KindInterval* find_interval(const RunKind& kind, std::span<const KindInterval> rows);

/// An interval wider than this, either way, says nothing that one could plan with.
inline constexpr double kWidestInterval = 0.15;

/// The kind of a run by its cycles and operations; why there is none, in words, on other systems than the default of
/// the accelerator and with overridden constants.
[[nodiscard]] tl::expected<RunKind, std::string> kind_of(const Accelerator& accelerator, const Setup& setup,
                                                         const TimedResult& run);
/// Where the measured cycles of the run would be, or why that is not known.
[[nodiscard]] tl::expected<CyclesInterval, std::string> interval_of(const Accelerator& accelerator, const Setup& setup,
                                                                    const TimedResult& run);

}  // namespace macaw::npu
