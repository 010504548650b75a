#pragma once
#include <macaw/error.hpp>

#include <algorithm>
#include <cstdint>
#include <limits>

// Fixed-point arithmetic of the TensorFlow Lite reference kernels, with double rounding. Sources: google/gemmlowp
// fixedpoint/fixedpoint.h; tensorflow/tflite-micro
// @90b983c2b tensorflow/lite/kernels/internal/{common,quantization_util}.cc.
namespace macaw::tflite {

/// A positive real number as multiplier / 2^31 * 2^shift.
struct FixedMultiplier {
  std::int32_t multiplier = 0;
  int shift = 0;
};

/// kUnsupported if `real` is negative, no number, or 2^31 or more.
[[nodiscard]] Result<FixedMultiplier> fixed_multiplier(double real);

/// As fixed_multiplier(), for numbers above 0 and below 1; kUnsupported for others.
[[nodiscard]] Result<FixedMultiplier> fraction_multiplier(double real);

/// The low 32 bits, and the nearest number of 32 bits.
[[nodiscard]] inline std::int32_t wrap(std::int64_t x) { return static_cast<std::int32_t>(x); }
[[nodiscard]] inline std::int32_t saturate(std::int64_t x) {
  using Limits = std::numeric_limits<std::int32_t>;
  return static_cast<std::int32_t>(std::clamp<std::int64_t>(x, Limits::min(), Limits::max()));
}

/// High word of 2 * a * b, halves up; the one product that does not fit saturates.
[[nodiscard]] std::int32_t doubling_high_mul(std::int32_t a, std::int32_t b);

/// x / 2^exponent, halves away from zero; exponent from 0 to 31.
[[nodiscard]] std::int32_t rounding_shift(std::int32_t x, int exponent);

/// x times the multiplier, rounded after the multiplication and again after a shift to the right. A shift to the left
/// comes first and wraps.
[[nodiscard]] std::int32_t scale(std::int32_t x, FixedMultiplier by);

/// The multiplier's upper 15 bits, rounded.
[[nodiscard]] std::int16_t reduced_multiplier(FixedMultiplier by);

/// For 64-bit accumulators: the reduced multiplier, and one rounding, half up. Shift below 15.
[[nodiscard]] std::int32_t scale_wide(std::int64_t x, FixedMultiplier by);

/// exp(x) of x <= 0 with 4 or 5 integer bits; the result has none: 2^31-1 stands for 1.
[[nodiscard]] std::int32_t exp_of_negative(std::int32_t x, int integer_bits = 5);

/// 1 / (1 + x) of x from 0 to 1, both without integer bits.
[[nodiscard]] std::int32_t one_over_one_plus(std::int32_t x);

/// (1 - x) / (1 + x) of x from 0 to 1, both without integer bits.
[[nodiscard]] std::int32_t one_minus_over_one_plus(std::int32_t x);

/// 1 / (1 + exp(-x)), and tanh(x), of x with 4 integer bits; the results have none.
[[nodiscard]] std::int32_t logistic_of(std::int32_t x);
[[nodiscard]] std::int32_t tanh_of(std::int32_t x);

/// 1 / sqrt(x) of x >= 0, where 0 counts as 1. Source: GetInvSqrtQuantizedMultiplierExp of
/// tensorflow/lite/kernels/internal/common.h.
[[nodiscard]] FixedMultiplier inverse_square_root(std::int32_t x);

}  // namespace macaw::tflite
