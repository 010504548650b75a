#pragma once
#include "workflow/calibrate/evaluate.hpp"

namespace macaw::calibrate {

/// Intervals from outcomes, finest kinds first (sim/config/intervals.def): for each kind the width within which nine of
/// ten further runs would be if they were drawn as these were (split conformal prediction), wider where runs are too
/// few to tell, and widened from what was measured for kinds that never were.
[[nodiscard]] std::vector<npu::KindInterval> intervals_of(const std::vector<const Outcome*>& outcomes);

/// How the intervals do on networks that they are not from: each network is left out in turn.
struct Coverage {
  std::string family, group;
  int runs = 0, with_interval = 0, inside = 0;
  double mean_half_width = 0;
};
[[nodiscard]] std::vector<Coverage> leave_one_network_out(const std::vector<Outcome>& outcomes);

/// Rows of sim/config/intervals.def.
[[nodiscard]] std::string interval_rows(const std::vector<Outcome>& outcomes);
/// A markdown table.
[[nodiscard]] std::string coverage_table(const std::vector<Outcome>& outcomes);

}  // namespace macaw::calibrate
