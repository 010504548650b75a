#include "reference/tflite/fixed_point.hpp"

#include <catch2/catch.hpp>

#include <cmath>
#include <limits>

using namespace macaw::tflite;

TEST_CASE("a product's high word rounds halves up and saturates once") {
  constexpr std::int32_t kMin = std::numeric_limits<std::int32_t>::min();
  CHECK(doubling_high_mul(1 << 30, 1 << 30) == 1 << 29);
  CHECK(doubling_high_mul(3, 1 << 30) == 2);
  CHECK(doubling_high_mul(-3, 1 << 30) == -1);
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
