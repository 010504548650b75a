#pragma once
#include "workflow/calibrate/fit.hpp"

namespace macaw::calibrate {

/// The timing chapter of docs/ACCURACY.md: summary by class, every network, every sweep, what is left out and why.
[[nodiscard]] std::string to_markdown(const std::vector<Outcome>& outcomes, const std::vector<LeftOut>& left_out);
/// The summary by class and all wrong counters, for a terminal.
[[nodiscard]] std::string to_text(const std::vector<Outcome>& outcomes, const std::vector<LeftOut>& left_out);
/// Result of a fit, and the values for params.def.
[[nodiscard]] std::string to_text(const std::vector<Fit>& fits);
/// Rows of sim/config/error_bars.def: mean and worst error of each accelerator with the adapter on and off.
[[nodiscard]] std::string error_bar_rows(const std::vector<Outcome>& outcomes);

}  // namespace macaw::calibrate
