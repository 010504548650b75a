#pragma once
#include <optional>
#include <span>

#include "reference/tosa/verify/judgement.hpp"

namespace macaw::tosa::verify {

/// Largest error below and above a reference, in the direction of its sign; not negative.
struct ErrorBound {
  double low, high;
};

/// The check that most floating point modes share (TOSA specification, tosa_reference_check_fp_bnd; reference_model
/// src/verify/verify_utils.cpp, which has separate bounds below and above). Nothing if `value` is within the bounds of
/// `reference`.
[[nodiscard]] std::optional<Element> check_bound(const FloatFormat& format, double value, double reference,
                                                 const ErrorBound& bound);

/// Checks every element against error_bound(reference, bounds element); the latter is 0 without a bounds tensor.
template <class F>
Judgement check_elements(std::string_view mode, const Operands& operands, const FloatFormat& format, F&& error_bound) {
  const FloatReader values(format, operands.result);
  const auto references = operands.reference.data<double>();
  const auto bounds = operands.bounds ? operands.bounds->data<double>() : std::span<const double>();
  Findings findings(mode, operands.result);
  for (std::size_t i = 0; i < references.size(); ++i) {
    const ErrorBound bound = error_bound(references[i], bounds.empty() ? 0.0 : bounds[i]);
    if (const auto wrong = check_bound(format, values[i], references[i], bound))
      findings.outside(static_cast<std::int64_t>(i), *wrong);
  }
  return findings.judgement();
}

}  // namespace macaw::tosa::verify
