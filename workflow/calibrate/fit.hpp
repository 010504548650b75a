#pragma once
#include "workflow/calibrate/evaluate.hpp"

namespace macaw::calibrate {

/// A free parameter after a fit, as a factor on its value in params.def.
struct FittedParam {
  std::string name;
  double factor = 1;
};

/// Errors of the cells of one network or configuration when the model is fitted without them.
struct WithoutGroup {
  std::string_view kind;  ///< "network" or "configuration"
  std::string group;
  std::size_t cells = 0;
  double mean = 0, worst = 0;
};

struct Fit {
  std::string scope;  ///< "U55, U65" or "U85"
  std::vector<FittedParam> params;
  double before = 0, after = 0;  ///< root mean square of the relative errors on the fit set
  /// By network, then by accelerator. All parameters are fitted again on the other cells, starting at `params`; values
  /// that were chosen by hand are not.
  std::vector<WithoutGroup> without;
};

/// Fits the free parameters (params.def) within their limits on the cells of the fit set, those of U55 and U65 together
/// and those of U85: Levenberg-Marquardt least squares of the relative errors. Deterministic.
[[nodiscard]] Result<std::vector<Fit>> fit(Evaluator& evaluator, const std::vector<Cell>& cells);

}  // namespace macaw::calibrate
