#include "reference/arith/elementary.hpp"

#include <algorithm>

namespace macaw::tosa::elementary {
namespace {

__extension__ using Bits128 = unsigned __int128;
__extension__ using Int128 = __int128;

/// 2 / pi as a fraction of 256 bits.
constexpr std::uint64_t kTwoByPi[] = {0xA2F9836E4E441529, 0xFC2757D1F534DDC0, 0xDB6295993C439041, 0xFE5163ABDEBBC561};

/// 64 bits of it from bit `first` on, counted from the point.
std::uint64_t bits_from(unsigned first) {
  const auto word = first / 64, shift = first % 64;
  return shift == 0 ? kTwoByPi[word] : kTwoByPi[word] << shift | kTwoByPi[word + 1] >> (64 - shift);
}
/// 128 bits; those before the point are zeros.
Bits128 window_from(int first) {
  const auto start = static_cast<unsigned>(std::max(first, 0));
  const auto window = Bits128{bits_from(start)} << 64 | bits_from(start + 64);
  return first < 0 ? window >> -first : window;
}

}  // namespace

// x * 2 / pi modulo 4, from those bits of 2 / pi that are no multiple of 4 in the product (Payne and Hanek).
double large_sine(double x, std::uint64_t quarters) {
  if (!std::isfinite(x)) return std::numeric_limits<double>::quiet_NaN();
  constexpr int kMantissaBits = 24;
  int exponent = 0;
  const auto mantissa = static_cast<std::uint64_t>(std::ldexp(std::frexp(std::fabs(x), &exponent), kMantissaBits));
  // A bit of 2 / pi of weight 2^-i has weight 2^(exponent - 24 - i) in the product.
  const auto product = window_from(exponent - kMantissaBits - 2) * mantissa;
  // Two bits of quarters, then the fraction of one, to be rounded to the nearest quarter.
  const auto fraction = static_cast<Int128>(product << 2);
  const auto n = static_cast<std::uint64_t>(product >> 126) + (fraction < 0 ? 1 : 0);
  constexpr double kHalfPi = 0x1.921fb54442d18p0;
  const double r = static_cast<double>(fraction) * 0x1p-128 * kHalfPi;
  return std::signbit(x) ? sine_of(-r, quarters - n) : sine_of(r, quarters + n);
}

}  // namespace macaw::tosa::elementary
