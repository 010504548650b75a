#include <algorithm>

#include "reference/tosa/verify/bound_check.hpp"

// TOSA specification, RESIZE in BILINEAR mode; ulp_bound in units of the reference: reference_model
// src/verify/verify_relative.cpp.
namespace macaw::tosa::verify {

Judgement judge_as(const Operands& operands, const FloatFormat& format, const mode::Relative& mode) {
  return check_elements("RELATIVE", operands, format, [&](double reference, double) {
    const double error = std::max(mode.max * mode.scale, mode.ulp_bound * ulp(format, reference));
    return ErrorBound{error, error};
  });
}

}  // namespace macaw::tosa::verify
