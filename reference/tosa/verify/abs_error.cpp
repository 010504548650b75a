#include <algorithm>
#include <cmath>

#include "reference/tosa/verify/bound_check.hpp"

// TOSA specification, calcAbsErrorBound; the members of the mode: reference_model src/verify/verify_abs_error.cpp.
namespace macaw::tosa::verify {
namespace {

double error_bound(const FloatFormat& format, const mode::AbsError& mode, double reference, double bounds) {
  const double magnitude = mode.bound_as_magnitude ? bounds : reference;
  const double factor = mode.base_bound + (mode.bound_as_magnitude ? 0 : bounds);
  // An unlimited error of a value that is exactly zero, such as EXP(-infinity), is not an error.
  double error = 0;
  if (std::isfinite(factor) || magnitude != 0) {
    error = std::max(std::abs(magnitude), format.normal_min) * factor;
    if (mode.lower_bound > 0) error = std::max(error, mode.lower_bound);
    // The exponent is truncated to an integer, so that half of 23 bits is 11.
    error *= std::exp2(std::trunc(-format.mantissa_bits / mode.normal_divisor));
  }
  return mode.max_compare > 0 ? std::max(error, mode.max_compare) : error;
}

}  // namespace

Judgement judge_as(const Operands& operands, const FloatFormat& format, const mode::AbsError& mode) {
  return check_elements("ABS_ERROR", operands, format, [&](double reference, double bounds) {
    const double error = error_bound(format, mode, reference, bounds);
    return ErrorBound{error, error};
  });
}

}  // namespace macaw::tosa::verify
