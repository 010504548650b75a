#include <algorithm>
#include <cmath>

#include "reference/tosa/verify/bound_check.hpp"

// TOSA specification, REDUCE_PRODUCT.
namespace macaw::tosa::verify {

Judgement judge_as(const Operands& operands, const FloatFormat& format, const mode::ReduceProduct& mode) {
  const double rounding = std::ldexp(1.0, -format.mantissa_bits - 1);
  const double relative = std::pow(1 + rounding, static_cast<double>(mode.n)) - 1;
  return check_elements("REDUCE_PRODUCT", operands, format, [&](double reference, double) {
    const double error = std::max(std::abs(reference), format.normal_min) * relative;
    return ErrorBound{error, error};
  });
}

}  // namespace macaw::tosa::verify
