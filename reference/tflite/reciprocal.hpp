#pragma once
#include "reference/tflite/fixed_point.hpp"

namespace macaw::tflite {

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
