#pragma once
#include <bit>
#include <cstdint>
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
[[nodiscard]] constexpr double calc_block_scale(double max_abs, DType values) {
  constexpr int kMantissaBits = 52, kBias = 1023, kLeast = -127, kGreatest = 127;
  constexpr std::uint64_t kMantissa = (std::uint64_t{1} << kMantissaBits) - 1;
  if (max_abs == 0) return 0x1p-127;
  if (!(max_abs < std::numeric_limits<double>::infinity())) return std::numeric_limits<double>::quiet_NaN();
  // The exponent brings the limit to the magnitude's power of two; only the mantissas are left to compare. Subnormal
  // magnitudes are far below the least scale.
  const auto magnitude = std::bit_cast<std::uint64_t>(max_abs),
             limit = std::bit_cast<std::uint64_t>(rounding_limit(values));
  const auto left = magnitude & kMantissa, right = limit & kMantissa;
  const bool beyond = values == DType::kFP8E4M3 ? left > right : left >= right;
  const auto exponent =
      static_cast<int>(magnitude >> kMantissaBits) - static_cast<int>(limit >> kMantissaBits) + beyond;
  const int clipped = exponent < kLeast ? kLeast : exponent > kGreatest ? kGreatest : exponent;
  return std::bit_cast<double>(static_cast<std::uint64_t>(clipped + kBias) << kMantissaBits);
}

}  // namespace macaw::tosa
