#include "reference/tflite/fixed_point.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include <fmt/format.h>

namespace macaw::tflite {
namespace {

constexpr std::int32_t kMax = std::numeric_limits<std::int32_t>::max(), kMin = std::numeric_limits<std::int32_t>::min();

std::int32_t wrap(std::int64_t x) { return static_cast<std::int32_t>(x); }
std::int32_t saturate(std::int64_t x) { return static_cast<std::int32_t>(std::clamp<std::int64_t>(x, kMin, kMax)); }

}  // namespace

Result<FixedMultiplier> fixed_multiplier(double real) {
  constexpr double kLimit = 2147483648.0;
  if (!(real >= 0) || real >= kLimit)
    return fail(ErrorCode::kUnsupported, fmt::format("scales whose ratio is {}", real));
  if (real == 0) return FixedMultiplier{};
  FixedMultiplier result;
  const double fraction = std::frexp(real, &result.shift);
  auto fixed = static_cast<std::int64_t>(std::round(fraction * 2147483648.0));
  if (fixed > kMax) {
    fixed /= 2;
    ++result.shift;
  }
  if (result.shift < -31) return FixedMultiplier{};
  result.multiplier = static_cast<std::int32_t>(fixed);
  return result;
}

Result<FixedMultiplier> fraction_multiplier(double real) {
  MACAW_ASSIGN(const auto result, fixed_multiplier(real));
  if (!(real > 0) || !(real < 1) || result.shift > 0)
    return fail(ErrorCode::kUnsupported, fmt::format("scales whose ratio is {}, not below 1", real));
  return result;
}

std::int32_t doubling_high_mul(std::int32_t a, std::int32_t b) {
  if (a == kMin && b == kMin) return kMax;
  const std::int64_t product = std::int64_t{a} * b, half = std::int64_t{1} << 30;
  return static_cast<std::int32_t>((product + (product >= 0 ? half : 1 - half)) / (std::int64_t{1} << 31));
}

std::int32_t rounding_shift(std::int32_t x, int exponent) {
  const std::int64_t mask = (std::int64_t{1} << exponent) - 1, remainder = x & mask;
  return (x >> exponent) + (remainder > (mask >> 1) + (x < 0 ? 1 : 0) ? 1 : 0);
}

std::int32_t scale(std::int32_t x, FixedMultiplier by) {
  const int left = std::max(by.shift, 0), right = std::max(-by.shift, 0);
  return rounding_shift(doubling_high_mul(wrap(std::int64_t{x} * (std::int64_t{1} << left)), by.multiplier), right);
}

std::int32_t scale_wide(std::int64_t x, FixedMultiplier by) {
  const std::int64_t reduced = by.multiplier < 0x7FFF0000 ? (by.multiplier + (1 << 15)) >> 16 : 0x7FFF;
  const int shift = 15 - by.shift;
  const auto sum =
      static_cast<std::uint64_t>(x) * static_cast<std::uint64_t>(reduced) + (std::uint64_t{1} << (shift - 1));
  return wrap(static_cast<std::int64_t>(sum) >> shift);
}

std::int32_t exp_of_negative(std::int32_t x) {
  constexpr int kFractionBits = 26;
  constexpr std::int32_t kQuarter = 1 << (kFractionBits - 2);
  // exp on [-1/4, 0): Taylor's series around -1/8.
  const std::int32_t reduced = (x & (kQuarter - 1)) - kQuarter;
  const std::int32_t t = saturate(std::int64_t{reduced} << 5) + (1 << 28);
  const std::int32_t t2 = doubling_high_mul(t, t), t3 = doubling_high_mul(t2, t), t4 = doubling_high_mul(t2, t2);
  constexpr std::int32_t kThird = 715827883, kExpOfMinusEighth = 1895147668;
  const std::int32_t tail = rounding_shift(doubling_high_mul(rounding_shift(t4, 2) + t3, kThird) + t2, 1);
  std::int32_t result = kExpOfMinusEighth + doubling_high_mul(kExpOfMinusEighth, t + tail);
  // The rest is a sum of powers of two from 1/4 to 16: a factor exp(-2^k) for each.
  constexpr std::int32_t kFactors[] = {1672461947, 1302514674, 790015084, 290630308, 39332535, 720401, 242};
  const std::int64_t rest = std::int64_t{reduced} - x;
  for (int i = 0; i < 7; ++i)
    if (rest >> (kFractionBits - 2 + i) & 1) result = doubling_high_mul(result, kFactors[i]);
  return x == 0 ? kMax : result;
}

std::int32_t one_over_one_plus(std::int32_t x) {
  // Newton's method for the reciprocal of (1 + x) / 2, with 2 integer bits, from 48/17 - 32/17 of it.
  constexpr std::int32_t k48Over17 = 1515870810, kMinus32Over17 = -1010580540, kOne = 1 << 29;
  const std::int64_t sum = std::int64_t{x} + kMax;
  const auto half = static_cast<std::int32_t>((sum + (sum >= 0 ? 1 : -1)) / 2);
  std::int32_t r = wrap(std::int64_t{k48Over17} + doubling_high_mul(half, kMinus32Over17));
  for (int i = 0; i < 3; ++i) {
    const std::int32_t error = wrap(std::int64_t{kOne} - doubling_high_mul(half, r));
    r = wrap(std::int64_t{r} + saturate(std::int64_t{doubling_high_mul(r, error)} * 4));
  }
  return saturate(std::int64_t{r} * 2);
}

}  // namespace macaw::tflite
