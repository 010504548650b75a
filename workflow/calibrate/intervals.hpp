#pragma once
#include "workflow/calibrate/evaluate.hpp"

namespace macaw::calibrate {

/// Intervals from outcomes, finest kinds first (sim/config/intervals.def): for each kind the width within which nine of
/// ten further runs would be if they were drawn as these were (split conformal prediction), wider where runs or
/// networks are few, and widened from what was measured for kinds that never were. Beside it the kinds of work and the
/// values of registers that the runs had.
[[nodiscard]] npu::IntervalTable intervals_of(const std::vector<const Outcome*>& outcomes);

/// How the intervals do on runs that they are not from.
struct Coverage {
  std::string family, group;
  int runs = 0, with_interval = 0, inside = 0;
  double mean_half_width = 0;
};
/// All runs of one value of `by` are left out in turn.
[[nodiscard]] std::vector<Coverage> leave_out(const std::vector<Outcome>& outcomes,
                                              const std::function<std::string(const Outcome&)>& by);

/// Rows of sim/config/intervals.def.
[[nodiscard]] std::string interval_rows(const std::vector<Outcome>& outcomes);
/// Two markdown tables: each network left out in turn, and each configuration.
[[nodiscard]] std::string coverage_tables(const std::vector<Outcome>& outcomes);

}  // namespace macaw::calibrate
