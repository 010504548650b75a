#include "reference/tosa/verify/float_format.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

namespace macaw::tosa::verify {
namespace {

constexpr double exp2i(int n) {
  double v = 1;
  for (; n > 0; --n) v *= 2;
  for (; n < 0; ++n) v /= 2;
  return v;
}

enum class Specials : std::uint8_t { kInfinity, kNanOnly, kNone };

constexpr FloatFormat make(DType dtype, int exponent_bits, int mantissa_bits, Specials specials, bool flush) {
  const int bias = (1 << (exponent_bits - 1)) - 1;
  // Without infinities the largest exponent is in use, and its last mantissa pattern is the NaN if there is one.
  const int unused = specials == Specials::kNanOnly ? 2 : 1;
  const bool has_infinity = specials == Specials::kInfinity;
  const double largest = exp2i(has_infinity ? bias : bias + 1) * (2 - unused * exp2i(-mantissa_bits));
  return {dtype, exponent_bits,   mantissa_bits, has_infinity, specials != Specials::kNone,
          flush, exp2i(1 - bias), largest,       -largest};
}

constexpr FloatFormat kFormats[] = {
    make(DType::kFP32, 8, 23, Specials::kInfinity, true),
    make(DType::kFP16, 5, 10, Specials::kInfinity, true),
    make(DType::kBF16, 8, 7, Specials::kInfinity, true),
    make(DType::kFP8E4M3, 4, 3, Specials::kNanOnly, false),
    make(DType::kFP8E5M2, 5, 2, Specials::kInfinity, false),
    make(DType::kFP6E2M3, 2, 3, Specials::kNone, false),
    make(DType::kFP6E3M2, 3, 2, Specials::kNone, false),
    make(DType::kFP4E2M1, 2, 1, Specials::kNone, false),
    {DType::kMXINT8, 0, 0, false, false, false, 1 / 64.0, 127 / 64.0, -2},
    {DType::kFP8UE8M0, 8, 0, false, true, false, exp2i(-127), exp2i(127), -exp2i(127)},
};

}  // namespace

const FloatFormat* find_format(DType dtype) {
  for (const auto& format : kFormats)
    if (format.dtype == dtype) return &format;
  return nullptr;
}

double decode(const FloatFormat& format, std::uint32_t bits) {
  if (format.dtype == DType::kMXINT8) return static_cast<std::int8_t>(bits) / 64.0;
  if (format.dtype == DType::kFP8UE8M0)
    return bits == 0xFF ? std::numeric_limits<double>::quiet_NaN() : std::ldexp(1.0, static_cast<int>(bits) - 127);
  const std::uint32_t mantissa = bits & ((1U << format.mantissa_bits) - 1);
  const std::uint32_t largest_exponent = (1U << format.exponent_bits) - 1;
  const std::uint32_t exponent = bits >> format.mantissa_bits & largest_exponent;
  const bool negative = bits >> (format.mantissa_bits + format.exponent_bits) & 1;
  double magnitude = 0;
  if (exponent == largest_exponent && format.has_infinity) {
    magnitude = mantissa ? std::numeric_limits<double>::quiet_NaN() : std::numeric_limits<double>::infinity();
  } else if (format.has_nan && exponent == largest_exponent && mantissa == (1U << format.mantissa_bits) - 1) {
    magnitude = std::numeric_limits<double>::quiet_NaN();
  } else {
    const std::uint32_t significand = exponent ? mantissa | 1U << format.mantissa_bits : mantissa;
    const int scale = static_cast<int>(exponent ? exponent : 1) - format.bias() - format.mantissa_bits;
    magnitude = std::ldexp(static_cast<double>(significand), scale);
  }
  return negative ? -magnitude : magnitude;
}

bool overflows(const FloatFormat& format, double x) {
  // The largest number is odd: half a unit above it is a tie, which rounds to infinity.
  return format.has_infinity && std::abs(x) >= format.normal_max + ulp(format, format.normal_max) / 2;
}

double ulp(const FloatFormat& format, double x) {
  if (format.dtype == DType::kMXINT8) return 1 / 64.0;
  if (!std::isfinite(x) || x == 0) return 0;
  return std::ldexp(std::max(std::ldexp(1.0, std::ilogb(x)), format.normal_min), -format.mantissa_bits);
}

double FloatReader::operator[](std::size_t i) const {
  const std::size_t width = size_of(format_->dtype);
  std::uint32_t bits = 0;
  std::memcpy(&bits, bytes_.data() + i * width, width);
  return decode(*format_, bits);
}

}  // namespace macaw::tosa::verify
