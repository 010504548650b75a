#include <cmath>
#include <limits>

#include "reference/tosa/verify/judgement.hpp"

// reference_model src/verify/verify_fp_special.cpp: tests of NaNs, infinities and signed zeros, where magnitudes do not
// matter. The bounds run multiplies by extra zeros, as an implementation that pads may: what becomes NaN there may be
// NaN.
namespace macaw::tosa::verify {
namespace {

bool alike(double value, double reference, double bounds) {
  if (value == 0 && reference == 0) return true;
  if (std::isnan(value)) return std::isnan(reference) || std::isnan(bounds);
  return !std::isnan(reference) && std::isfinite(value) == std::isfinite(reference) &&
         std::signbit(value) == std::signbit(reference);
}

}  // namespace

Judgement judge_as(const Operands& operands, const FloatFormat& format, const mode::FpSpecial&) {
  constexpr double kNone = std::numeric_limits<double>::quiet_NaN();
  const FloatReader values(format, operands.result);
  const auto references = operands.reference.data<double>();
  const auto bounds = operands.bounds->data<double>();
  Findings findings("FP_SPECIAL", operands.result);
  for (std::size_t i = 0; i < references.size(); ++i)
    if (!alike(values[i], references[i], bounds[i]))
      findings.outside(static_cast<std::int64_t>(i), {values[i], references[i], kNone, kNone});
  return findings.judgement();
}

}  // namespace macaw::tosa::verify
