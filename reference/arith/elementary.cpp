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
  constexpr int kMantissaBits = 24, kDoubleBits = 53, kBias = 1023;
  constexpr auto kHidden = std::uint64_t{1} << (kDoubleBits - 1);
  const auto bits = std::bit_cast<std::uint64_t>(std::fabs(x));
  const auto exponent = static_cast<int>(bits >> (kDoubleBits - 1)) - kBias + 1;
  const auto mantissa = ((bits & (kHidden - 1)) | kHidden) >> (kDoubleBits - kMantissaBits);
  // A bit of 2 / pi of weight 2^-i has weight 2^(exponent - 24 - i) in the product.
  const auto product = window_from(exponent - kMantissaBits - 2) * mantissa;
  // Two bits of quarters, then the fraction of one, to be rounded to the nearest quarter.
  const auto fraction = static_cast<Int128>(product << 2);
  const auto n = static_cast<std::uint64_t>(product >> 126) + (fraction < 0 ? 1 : 0);
  constexpr double kHalfPi = 0x1.921fb54442d18p0;
  const auto high = static_cast<std::int64_t>(fraction >> 64);
  const auto low = static_cast<std::uint64_t>(fraction);
  const double r = (static_cast<double>(high) + static_cast<double>(low) * 0x1p-64) * 0x1p-64 * kHalfPi;
  return std::signbit(x) ? sine_of(-r, quarters - n) : sine_of(r, quarters + n);
}

}  // namespace macaw::tosa::elementary
