#include "reference/verify/float_format.hpp"

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

constexpr FloatFormat make(DType dtype, int exponent_bits, int mantissa_bits, bool has_infinity, bool flush) {
  const int bias = (1 << (exponent_bits - 1)) - 1;
  // Without infinities the largest exponent is in use, and its last mantissa pattern is the NaN.
  const double largest =
      has_infinity ? exp2i(bias) * (2 - exp2i(-mantissa_bits)) : exp2i(bias + 1) * (2 - 2 * exp2i(-mantissa_bits));
  return {dtype, exponent_bits, mantissa_bits, has_infinity, flush, exp2i(1 - bias), largest};
}

constexpr FloatFormat kFormats[] = {
    make(DType::kFP32, 8, 23, true, true),    make(DType::kFP16, 5, 10, true, true),
    make(DType::kBF16, 8, 7, true, true),     make(DType::kFP8E4M3, 4, 3, false, false),
    make(DType::kFP8E5M2, 5, 2, true, false),
};

}  // namespace

const FloatFormat* find_format(DType dtype) {
  for (const auto& format : kFormats)
    if (format.dtype == dtype) return &format;
  return nullptr;
}

double decode(const FloatFormat& format, std::uint32_t bits) {
  const std::uint32_t mantissa = bits & ((1U << format.mantissa_bits) - 1);
  const std::uint32_t largest_exponent = (1U << format.exponent_bits) - 1;
  const std::uint32_t exponent = bits >> format.mantissa_bits & largest_exponent;
  const bool negative = bits >> (format.mantissa_bits + format.exponent_bits) & 1;
  double magnitude = 0;
  if (exponent == largest_exponent && format.has_infinity) {
    magnitude = mantissa ? std::numeric_limits<double>::quiet_NaN() : std::numeric_limits<double>::infinity();
  } else if (exponent == largest_exponent && mantissa == (1U << format.mantissa_bits) - 1) {
    magnitude = std::numeric_limits<double>::quiet_NaN();
  } else {
    const std::uint32_t significand = exponent ? mantissa | 1U << format.mantissa_bits : mantissa;
    const int scale = static_cast<int>(exponent ? exponent : 1) - format.bias() - format.mantissa_bits;
    magnitude = std::ldexp(static_cast<double>(significand), scale);
  }
  return negative ? -magnitude : magnitude;
}

bool overflows(const FloatFormat& format, double x) {
  // The largest number is odd: half a unit above it is a tie, which goes to infinity.
  return format.has_infinity && std::abs(x) >= format.normal_max + ulp(format, format.normal_max) / 2;
}

double ulp(const FloatFormat& format, double x) {
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
