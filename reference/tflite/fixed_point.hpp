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
/// is done before the multiplication and wraps.
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

/// 1 / sqrt(x) of x >= 0, where 0 is treated as 1. Source: GetInvSqrtQuantizedMultiplierExp of
/// tensorflow/lite/kernels/internal/common.h.
[[nodiscard]] FixedMultiplier inverse_square_root(std::int32_t x);

/// log(x) of x >= 1 with 12 integer bits; the result has 5. tensorflow/tflite-micro @90b983c2b
/// tensorflow/lite/kernels/internal/common.h, log_x_for_x_greater_than_or_equal_to_1.
[[nodiscard]] std::int32_t log_of_sum(std::int32_t x);

/// 2 / (1 + x) of x from 0 to 1 without integer bits; the result has 2: Newton's method, from 48/17 - 32/17 of half the
/// divisor. `see` is called with every value on the way.
template <class See>
std::int32_t reciprocal_of_half_sum(std::int32_t x, See&& see) {
  constexpr std::int32_t k48Over17 = 1515870810, kMinus32Over17 = -1010580540, kOne = 1 << 29;
  const std::int64_t sum = std::int64_t{x} + std::numeric_limits<std::int32_t>::max();
  const auto half = static_cast<std::int32_t>((sum + (sum >= 0 ? 1 : -1)) / 2);
  const auto seen = [&](std::int64_t value) {
    see(wrap(value));
    return wrap(value);
  };
  seen(half);
  std::int32_t r = seen(std::int64_t{k48Over17} + seen(doubling_high_mul(half, kMinus32Over17)));
  for (int i = 0; i < 3; ++i) {
    const std::int32_t error = seen(std::int64_t{kOne} - seen(doubling_high_mul(half, r)));
    r = seen(std::int64_t{r} + seen(saturate(std::int64_t{seen(doubling_high_mul(r, error))} * 4)));
  }
  return r;
}

}  // namespace macaw::tflite
