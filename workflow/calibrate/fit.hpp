#pragma once
#include "workflow/calibrate/evaluate.hpp"

namespace macaw::calibrate {

/// A free parameter after a fit: the factor on its value of params.def.
struct FittedParam {
  std::string name;
  double factor = 1;
};

struct Fit {
  std::string scope;  ///< "U55, U65" or "U85"
  std::vector<FittedParam> params;
  double before = 0, after = 0;  ///< root mean square of the relative errors on the fit set
};

/// Fits the free parameters (params.def) on the cells of the fit set, those of U55 and U65 together and those of U85:
/// one parameter after the other in falling steps, while the squared error falls. The same every time.
[[nodiscard]] Result<std::vector<Fit>> fit(Evaluator& evaluator, const std::vector<Cell>& cells);

}  // namespace macaw::calibrate
