#include "reference/tosa/verify/bound_check.hpp"

// TOSA specification, tosa_reference_check_fp.
namespace macaw::tosa::verify {

Judgement judge_as(const Operands& operands, const FloatFormat& format, const mode::Ulp& mode) {
  return check_elements("ULP", operands, format, [&](double reference, double) {
    const double unit = ulp(format, reference);
    return ErrorBound{unit * mode.ulp_lower, unit * mode.ulp};
  });
}

}  // namespace macaw::tosa::verify
