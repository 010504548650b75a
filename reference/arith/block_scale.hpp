#pragma once
#include <cmath>
#include <limits>

#include <macaw/dtype.hpp>

namespace macaw::tosa {

/// The least magnitude that does not round to the greatest number of a type of scaled values
/// (get_largest_value_rounding_to_normal_max; pseudocode/library/numeric_conversion_helpers.tosac).
[[nodiscard]] constexpr double rounding_limit(DType values) {
  switch (values) {
    case DType::kFP4E2M1: return 7;
    case DType::kFP6E2M3: return 7.75;
    case DType::kFP6E3M2: return 30;
    case DType::kFP8E4M3: return 464;
    case DType::kFP8E5M2: return 61440;
    case DType::kMXINT8: return 127.5 / 64;
    default: return 0;
  }
}

/// calc_block_scale of the specification, to fp8ue8m0: the least power of two that brings a magnitude below the limit,
/// for FP8E4M3 not above it. Exact, where the specification's logarithms may round.
[[nodiscard]] inline double calc_block_scale(double max_abs, DType values) {
  if (max_abs == 0) return 0x1p-127;
  if (!std::isfinite(max_abs)) return std::numeric_limits<double>::quiet_NaN();
  const double limit = rounding_limit(values);
  int exponent = std::ilogb(max_abs) - std::ilogb(limit);
  const double scaled = std::ldexp(limit, exponent);
  if (values == DType::kFP8E4M3 ? max_abs > scaled : max_abs >= scaled) ++exponent;
  return std::ldexp(1.0, exponent < -127 ? -127 : exponent > 127 ? 127 : exponent);
}

}  // namespace macaw::tosa
