#pragma once
#include "workflow/calibrate/evaluate.hpp"

namespace macaw::calibrate {

/// Prediction intervals from outcomes, finest kinds first (sim/config/intervals.def): for each kind the width that
/// would hold for nine of ten further runs from the same distribution (split conformal prediction), wider if there are
/// few runs or networks, and extrapolated for kinds that were never measured. Includes the kinds of work and register
/// values that occurred in the runs.
[[nodiscard]] npu::IntervalTable intervals_of(const std::vector<const Outcome*>& outcomes);

/// Coverage of the intervals on runs that were left out.
struct Coverage {
  std::string family, group;
  int runs = 0, with_interval = 0, inside = 0;
  double mean_half_width = 0;
};
/// Leaves out all runs of one value of `by` in turn.
[[nodiscard]] std::vector<Coverage> leave_out(const std::vector<Outcome>& outcomes,
                                              const std::function<std::string(const Outcome&)>& by);

/// Rows of sim/config/intervals.def.
[[nodiscard]] std::string interval_rows(const std::vector<Outcome>& outcomes);
/// Two markdown tables: each network left out in turn, and each configuration.
[[nodiscard]] std::string coverage_tables(const std::vector<Outcome>& outcomes);

}  // namespace macaw::calibrate
