#include "reference/verify/bound_check.hpp"

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
    if (std::isnan(value)) return std::nullopt;
    return Element{value, reference, reference, reference};
  }
  if (!std::isfinite(bound.low) && !std::isfinite(bound.high)) return std::nullopt;

  const double sign = reference < 0 ? -1 : 1;
  double lowest = sign * reference - bound.low;
  double highest = sign * reference + bound.high;
  if (highest > format.normal_max) highest = kInfinity;
  if (lowest > format.normal_max) lowest = kInfinity;
  if (lowest < -format.normal_max) lowest = -kInfinity;
  if (within(format, sign * value, lowest, highest)) return std::nullopt;
  return sign < 0 ? Element{value, reference, -highest, -lowest} : Element{value, reference, lowest, highest};
}

}  // namespace macaw::tosa::verify
