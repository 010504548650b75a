#include "reference/tosa/verify/bound_check.hpp"

#include <cmath>
#include <limits>

namespace macaw::tosa::verify {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

bool within(const FloatFormat& format, double value, double lowest, double highest) {
  if (value == 0 && format.flush_subnormals && lowest < format.normal_min) return true;
  // A type without infinities overflows to NaN.
  if (std::isnan(value)) return !format.has_infinity && highest == kInfinity;
  return value >= lowest && value <= highest;
}

}  // namespace

std::optional<Element> check_bound(const FloatFormat& format, double value, double reference, const ErrorBound& bound) {
  if (std::isnan(reference)) {
    if (std::isnan(value) || !format.has_nan) return std::nullopt;
    return Element{value, reference, reference, reference};
  }
  if (!std::isfinite(bound.low) && !std::isfinite(bound.high)) return std::nullopt;

  const double sign = reference < 0 ? -1 : 1;
  const double high_cap = sign < 0 ? -format.normal_lowest : format.normal_max;
  const double low_cap = sign < 0 ? -format.normal_max : format.normal_lowest;
  double lowest = sign * reference - bound.low;
  double highest = sign * reference + bound.high;
  // A type of numbers only saturates.
  const bool saturates = !format.has_infinity && !format.has_nan;
  if (highest > high_cap) highest = saturates ? high_cap : kInfinity;
  if (lowest > high_cap) lowest = saturates ? high_cap : kInfinity;
  if (lowest < low_cap) lowest = saturates ? low_cap : -kInfinity;
  if (within(format, sign * value, lowest, highest)) return std::nullopt;
  return sign < 0 ? Element{value, reference, -highest, -lowest} : Element{value, reference, lowest, highest};
}

}  // namespace macaw::tosa::verify
