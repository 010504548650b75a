#include <algorithm>
#include <cmath>

#include "reference/tosa/verify/bound_check.hpp"

// TOSA specification, tosa_reference_check_from_block (pseudocode/library/tosa_reference_check.tosac).
namespace macaw::tosa::verify {

Judgement judge_as(const Operands& operands, const FloatFormat& format, const mode::FromBlock&) {
  return check_elements("FROM_BLOCK", operands, format, [&](double reference, double scale) {
    if (!std::isfinite(reference) || reference == 0 || std::isnan(scale)) return ErrorBound{0, 0};
    const double error = std::max(ulp(format, reference / scale) * scale, format.normal_min);
    return ErrorBound{error, error};
  });
}

}  // namespace macaw::tosa::verify
