#include "reference/tflite/logarithm.hpp"

#include <algorithm>
#include <bit>
#include <limits>

#include "reference/tflite/fixed_point.hpp"

namespace macaw::tflite {
namespace {

/// x * 2^exponent, saturated above and rounded below, halves away from zero.
std::int32_t times_power_of_two(std::int32_t x, int exponent) {
  return exponent < 0 ? rounding_shift(x, -exponent) : saturate(std::int64_t{x} * (std::int64_t{1} << exponent));
}

std::int32_t sum_of(std::int32_t a, std::int32_t b) { return wrap(std::int64_t{a} + b); }

int zeros_of(std::int32_t x) { return std::countl_zero(static_cast<std::uint32_t>(x)); }

}  // namespace

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
