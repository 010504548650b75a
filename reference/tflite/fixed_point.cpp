#include "reference/tflite/fixed_point.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

#include <fmt/format.h>

namespace macaw::tflite {
namespace {

constexpr std::int32_t kMax = std::numeric_limits<std::int32_t>::max(), kMin = std::numeric_limits<std::int32_t>::min();

/// x * 2^exponent, saturated above and rounded below, halves away from zero.
std::int32_t times_power_of_two(std::int32_t x, int exponent) {
  return exponent < 0 ? rounding_shift(x, -exponent) : saturate(std::int64_t{x} * (std::int64_t{1} << exponent));
}

std::int32_t sum_of(std::int32_t a, std::int32_t b) { return wrap(std::int64_t{a} + b); }

int zeros_of(std::int32_t x) { return std::countl_zero(static_cast<std::uint32_t>(x)); }

}  // namespace

Result<FixedMultiplier> fixed_multiplier(double real) {
  constexpr double kLimit = 2147483648.0;
  if (!(real >= 0) || real >= kLimit)
    return fail(ErrorCode::kUnsupported,
                fmt::format("scales whose ratio is {}: fixed point has those from 0 to 2^31", real));
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

std::int16_t reduced_multiplier(FixedMultiplier by) {
  return by.multiplier < 0x7FFF0000 ? static_cast<std::int16_t>((by.multiplier + (1 << 15)) >> 16)
                                    : std::int16_t{0x7FFF};
}

std::int32_t scale_wide(std::int64_t x, FixedMultiplier by) {
  const int shift = 15 - by.shift;
  const auto sum = static_cast<std::uint64_t>(x) * static_cast<std::uint64_t>(reduced_multiplier(by)) +
                   (std::uint64_t{1} << (shift - 1));
  return wrap(static_cast<std::int64_t>(sum) >> shift);
}

std::int32_t exp_of_negative(std::int32_t x, int integer_bits) {
  const int fraction_bits = 31 - integer_bits;
  const std::int32_t quarter = 1 << (fraction_bits - 2);
  // exp on [-1/4, 0): Taylor's series around -1/8.
  const std::int32_t reduced = (x & (quarter - 1)) - quarter;
  const std::int32_t t = saturate(std::int64_t{reduced} * (1 << integer_bits)) + (1 << 28);
  const std::int32_t t2 = doubling_high_mul(t, t), t3 = doubling_high_mul(t2, t), t4 = doubling_high_mul(t2, t2);
  constexpr std::int32_t kThird = 715827883, kExpOfMinusEighth = 1895147668;
  const std::int32_t tail = rounding_shift(doubling_high_mul(rounding_shift(t4, 2) + t3, kThird) + t2, 1);
  std::int32_t result = kExpOfMinusEighth + doubling_high_mul(kExpOfMinusEighth, t + tail);
  // The rest is a sum of powers of two from 1/4 to 16: a factor exp(-2^k) for each.
  constexpr std::int32_t kFactors[] = {1672461947, 1302514674, 790015084, 290630308, 39332535, 720401, 242};
  const std::int64_t rest = std::int64_t{reduced} - x;
  for (int i = 0; i < integer_bits + 2; ++i)
    if (rest >> (fraction_bits - 2 + i) & 1) result = doubling_high_mul(result, kFactors[i]);
  return x == 0 ? kMax : result;
}

std::int32_t one_over_one_plus(std::int32_t x) {
  return saturate(std::int64_t{reciprocal_of_half_sum(x, [](std::int32_t) {})} * 2);
}

std::int32_t one_minus_over_one_plus(std::int32_t x) {
  constexpr std::int64_t kOne = 1 << 29;
  return saturate((std::int64_t{reciprocal_of_half_sum(x, [](std::int32_t) {})} - kOne) * 4);
}

std::int32_t logistic_of(std::int32_t x) {
  if (x == 0) return 1 << 30;
  const std::int32_t positive = one_over_one_plus(exp_of_negative(x > 0 ? -x : x, 4));
  return x > 0 ? positive : kMax - positive;
}

std::int32_t tanh_of(std::int32_t x) {
  if (x == 0) return 0;
  // Doubled by one integer bit more.
  const std::int32_t magnitude = one_minus_over_one_plus(exp_of_negative(x > 0 ? -x : x, 5));
  return x > 0 ? magnitude : -magnitude;
}

FixedMultiplier inverse_square_root(std::int32_t x) {
  if (x <= 1) return {kMax, 0};
  int right = 11;
  for (; x >= 1 << 29; ++right) x /= 4;
  const int pairs = (std::countl_zero(static_cast<std::uint32_t>(x)) - 1) / 2 - 1;
  right -= pairs;
  x <<= 2 * pairs;
  // With 3 integer bits.
  constexpr std::int32_t kHalfThree = (1 << 28) + (1 << 27), kHalfSqrt2 = 1518500250;
  const std::int32_t half = rounding_shift(x >> 1, 1);
  const auto rescaled = [](std::int32_t value, int by) { return saturate(std::int64_t{value} * (1 << by)); };
  std::int32_t r = 1 << 28;
  for (int i = 0; i < 5; ++i) {
    const std::int32_t cube = rescaled(doubling_high_mul(doubling_high_mul(r, r), r), 6);
    r = rescaled(doubling_high_mul(kHalfThree, r) - doubling_high_mul(half, cube), 3);
  }
  r = doubling_high_mul(r, kHalfSqrt2);
  if (right < 0) {
    r = wrap(std::int64_t{r} << -right);
    right = 0;
  }
  return {r, -right};
}

// x is r * 2^k for a k whose fraction is -1/4 or 1/4, whichever makes r smaller: log(x) = k * log(2) + log(r), the
// latter as a quotient of polynomials around 2^(-1/4).
std::int32_t log_of_sum(std::int32_t x) {
  constexpr int kInputBits = 12, kOutputBits = 5, kBits = kOutputBits + 1;
  constexpr std::int32_t kLog2 = 1488522236, kFourthRootOfHalf = 1805811301, kRootOfHalf = 1518500250;
  constexpr std::int32_t kAlphaN = 117049297, kAlphaD = 127690142, kAlphaI = 1057819769, kAlphaF = 638450708;
  const std::int32_t quarter = rounding_shift(1 << 29, kBits);
  const auto high = doubling_high_mul;
  const int zeros_a = zeros_of(x);
  const std::int32_t r_a = times_power_of_two(high(times_power_of_two(x, zeros_a - 1), kRootOfHalf), 1);
  const std::int32_t k_a = saturate(std::int64_t{times_power_of_two(kInputBits - zeros_a, 31 - kBits)} + quarter);
  const int headroom_b = zeros_of(high(x, kRootOfHalf)) - 1;
  const std::int32_t r_b = times_power_of_two(x, headroom_b);
  const std::int32_t k_b = saturate(std::int64_t{times_power_of_two(kInputBits - headroom_b, 31 - kBits)} - quarter);
  const std::int32_t r = std::min(r_a, r_b), k = std::max(k_a, k_b);
  const std::int64_t sum = std::int64_t{r} + kFourthRootOfHalf;
  const auto p = static_cast<std::int32_t>((sum + (sum >= 0 ? 1 : -1)) / 2);
  const std::int32_t half_q = wrap(std::int64_t{r} - kFourthRootOfHalf), q = sum_of(half_q, half_q);
  const std::int32_t square = high(q, q);
  const std::int32_t numerator = sum_of(high(q, r), high(high(q, square), kAlphaN));
  const std::int32_t denominator = sum_of(high(p, sum_of(sum_of(kAlphaI, q), high(kAlphaD, square))), high(kAlphaF, q));
  const std::int32_t quotient = high(rounding_shift(numerator, kBits), one_over_one_plus(denominator));
  return times_power_of_two(sum_of(high(k, kLog2), quotient), kBits - kOutputBits);
}

}  // namespace macaw::tflite
