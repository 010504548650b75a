#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "reference/tosa/verify/judgement.hpp"

// TOSA specification, tosa_reference_check_dotproduct.
namespace macaw::tosa::verify {
namespace {

struct Checked {
  bool compliant;
  double error;            ///< in units of `unit`
  double lowest, highest;  ///< range of permitted values
};

Checked check(const FloatFormat& format, double abs_bound, double value, double reference, double bounds) {
  if (std::isnan(reference)) return {std::isnan(value), 0, reference, reference};
  const double half_ulp = std::ldexp(1.0, -1 - format.mantissa_bits);
  // Where the sum of magnitudes is not a number or may overflow, so may the result.
  if (std::isnan(bounds) || overflows(format, bounds * (1 + abs_bound * half_ulp)))
    return {true, 0, reference, reference};
  if (bounds == 0) return {reference == 0 && value == 0, 0, 0, 0};
  const double unit = std::max(bounds * half_ulp, format.normal_min);
  const double error = (value - reference) / unit;
  return {std::abs(error) <= abs_bound, error, reference - abs_bound * unit, reference + abs_bound * unit};
}

Judgement failed_sum(std::string_view what, double sum, double lowest, double highest) {
  auto text = fmt::format(
      "DOT_PRODUCT: every element is within its bound, but the sum of {} of the tensor is {}, allowed {} to {}", what,
      sum, lowest, highest);
  return {false, std::move(text), 0, std::nullopt, sum, 0, lowest, highest};
}

}  // namespace

Judgement judge_as(const Operands& operands, const FloatFormat& format, const mode::DotProduct& mode) {
  const FloatReader values(format, operands.result);
  const auto references = operands.reference.data<double>();
  const auto bounds = operands.bounds->data<double>();
  Findings findings("DOT_PRODUCT", operands.result);
  double sum = 0, sum_of_squares = 0;
  for (std::size_t i = 0; i < references.size(); ++i) {
    const double value = values[i];
    const auto checked = check(format, mode.abs_bound, value, references[i], bounds[i]);
    if (!checked.compliant)
      findings.outside(static_cast<std::int64_t>(i), {value, references[i], checked.lowest, checked.highest});
    sum += checked.error;
    sum_of_squares += checked.error * checked.error;
  }
  if (!findings.empty()) return findings.judgement();

  const double variance_limit = mode.variance_error_bound * static_cast<double>(references.size());
  // Sets 3 to 5 are symmetric about zero: errors must cancel. The factor 10 admits four standard deviations.
  if (const double limit = std::sqrt(10 * variance_limit); mode.s >= 3 && mode.s <= 5 && !(std::abs(sum) <= limit))
    return failed_sum("errors", sum, -limit, limit);
  if (!(sum_of_squares <= variance_limit)) return failed_sum("squared errors", sum_of_squares, 0, variance_limit);
  return findings.judgement();
}

}  // namespace macaw::tosa::verify
