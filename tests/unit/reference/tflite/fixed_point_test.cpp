#include "reference/tflite/fixed_point.hpp"
#include "reference/tflite/function_tables.hpp"

#include <catch2/catch.hpp>

#include <cmath>
#include <limits>

using namespace macaw::tflite;

TEST_CASE("a product's high word rounds halves up and saturates once") {
  constexpr std::int32_t kMin = std::numeric_limits<std::int32_t>::min();
  CHECK(doubling_high_mul(1 << 30, 1 << 30) == 1 << 29);
  CHECK(doubling_high_mul(3, 1 << 30) == 2);
  CHECK(doubling_high_mul(-3, 1 << 30) == -1);
  CHECK(doubling_high_mul(-32768, 32768) == 0);   // -1/2
  CHECK(doubling_high_mul(-25, 42949673) == -1);  // the least product below it
  CHECK(doubling_high_mul(-25, 42949672) == 0);
  CHECK(doubling_high_mul(kMin, kMin) == std::numeric_limits<std::int32_t>::max());
}

TEST_CASE("a rounding shift takes halves away from zero") {
  CHECK(rounding_shift(5, 1) == 3);
  CHECK(rounding_shift(-5, 1) == -3);
  CHECK(rounding_shift(-6, 2) == -2);
  CHECK(rounding_shift(7, 0) == 7);
  CHECK(rounding_shift(std::numeric_limits<std::int32_t>::min(), 31) == -1);
}

TEST_CASE("a multiplier stands for a real number") {
  const auto half = fixed_multiplier(0.5);
  REQUIRE(half);
  CHECK(half->multiplier == 1 << 30);
  CHECK(half->shift == 0);
  const auto almost_one = fixed_multiplier(std::nextafter(1.0, 0.0));
  REQUIRE(almost_one);
  CHECK(almost_one->multiplier == 1 << 30);
  CHECK(almost_one->shift == 1);
  CHECK(fixed_multiplier(std::ldexp(1.0, -40))->multiplier == 0);
  CHECK_FALSE(fixed_multiplier(-1));
  CHECK_FALSE(fixed_multiplier(std::numeric_limits<double>::infinity()));
  CHECK_FALSE(fixed_multiplier(std::nan("")));
  CHECK_FALSE(fixed_multiplier(2147483648.0));
}

TEST_CASE("double rounding differs from one rounding where both steps round up") {
  // 11 * 0.125 with the multiplier 1/2 and a shift of 2: 5.5 becomes 6, and 1.5 becomes 2; at once it is 1.375.
  const auto eighth = fixed_multiplier(0.125);
  REQUIRE(eighth);
  CHECK(scale(11, *eighth) == 2);
  CHECK(scale(-11, *eighth) == -1);
  CHECK(scale_wide(11, *eighth) == 1);
  CHECK(scale(3, *fixed_multiplier(4)) == 12);
}

TEST_CASE("the exponential and the reciprocal are near the real ones") {
  for (double x = -20; x < 0; x += 0.37) {
    const auto raw = static_cast<std::int32_t>(x * (1 << 26));
    CHECK(exp_of_negative(raw) / 2147483648.0 == Approx(std::exp(raw / double(1 << 26))).margin(2e-7));
  }
  CHECK(exp_of_negative(0) == std::numeric_limits<std::int32_t>::max());
  for (double x = 0; x < 1; x += 0.043) {
    const auto raw = static_cast<std::int32_t>(x * 2147483648.0);
    CHECK(one_over_one_plus(raw) / 2147483648.0 == Approx(1 / (1 + x)).margin(1e-7));
  }
}

TEST_CASE("multipliers reach from 2^-32 up to 2^31, fractions to the last below 1 that does not round to it") {
  for (int shift = -40; shift <= 31; ++shift) {
    const auto power = fixed_multiplier(std::ldexp(0.5, shift));
    REQUIRE(power);
    INFO(shift);
    CHECK(power->multiplier == (shift < -31 ? 0 : 1 << 30));
    CHECK(power->shift == (shift < -31 ? 0 : shift));
    CHECK(fraction_multiplier(std::ldexp(0.5, shift)).has_value() == (shift <= 0));
  }
  CHECK_FALSE(fraction_multiplier(0));
  CHECK_FALSE(fraction_multiplier(std::nextafter(1.0, 0.0)));
  const auto below = fraction_multiplier(1 - std::ldexp(1, -31));
  REQUIRE(below);
  CHECK(below->multiplier == std::numeric_limits<std::int32_t>::max());
}

TEST_CASE("the inverse square root is near the real one on both sides of every power of two") {
  for (int bit = 1; bit < 31; ++bit)
    for (const std::int32_t x : {(1 << bit) - 1, 1 << bit, (1 << bit) + 1, (1 << bit) / 2 * 3}) {
      if (x <= 1) continue;
      const auto root = inverse_square_root(x);
      INFO(x);
      CHECK(std::ldexp(root.multiplier, root.shift - 31) == Approx(1 / std::sqrt(x)).epsilon(3e-6));
    }
  for (const std::int32_t x : {0, 1})
    CHECK(inverse_square_root(x).multiplier == std::numeric_limits<std::int32_t>::max());
}

TEST_CASE("a sigmoid takes scales that are a power of two as they are, others by at most 31 bits") {
  for (const int most : {0, 3, 12})
    for (int exponent = -16; exponent <= 3; ++exponent) {
      const auto scale = sigmoid_scale(std::ldexp(1.0F, exponent), most);
      INFO(exponent << ", at most " << most);
      const bool taken = exponent + 12 >= 0 && exponent + 12 <= most;
      CHECK((scale.multiplier == 0) == taken);
      if (taken) CHECK(scale.shift == exponent + 12);
    }
  for (int exponent = -60; exponent <= 0; ++exponent) {
    const double real = std::ldexp(1.3125, exponent) * 4096 * 3;
    int shift = 0;
    while (shift < 31 && std::ldexp(real, shift) <= 16383.5) ++shift;
    const auto scale = sigmoid_scale(std::ldexp(1.3125F, exponent), 3);
    INFO(exponent);
    CHECK(scale.shift == shift);
    CHECK(scale.multiplier == static_cast<std::int32_t>(std::ldexp(real, shift)));
  }
}
