#pragma once
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <utility>

// Elementary functions of numbers that a float holds, in double, to within 2^-42 of the result: rounded to float they
// are right but for about one value in 2^17. Made of additions, multiplications, divisions and bits only, in an order
// that nothing changes, so that they are the same on every machine; without branches, so that loops become vectors.
// Polynomials interpolate at Chebyshev nodes.

namespace macaw::tosa::elementary {

/// c[0] + c[1] x + c[2] x^2 + ...
template <std::size_t kTerms>
[[nodiscard]] constexpr double polynomial(const double (&c)[kTerms], double x) {
  double sum = c[kTerms - 1];
  // Not a loop: compilers unroll none of so many terms.
  [&]<std::size_t... I>(std::index_sequence<I...>) {
    ((sum = sum * x + c[kTerms - 2 - I]), ...);
  }(std::make_index_sequence<kTerms - 1>());
  return sum;
}

/// A sum of a smaller number with this has no bits below the point, and its low bits are that integer.
inline constexpr double kWhole = 0x1.8p52;

// ln 2 in two parts: products of the first with the exponents here are exact.
inline constexpr double kLn2 = 0x1.62e42fefa2p-1, kLn2Rest = 0x1.9ef35793c7673p-41;

/// e^x = scale + scale * rest, where scale is a power of two. |x| is below 700.
struct Exponential {
  double scale, rest;

  explicit Exponential(double x) {
    constexpr double kLog2E = 0x1.71547652b82fep0;
    const double raised = x * kLog2E + kWhole, n = raised - kWhole, r = (x - n * kLn2) - n * kLn2Rest;
    // (e^r - 1 - r) / r^2 within ln 2 / 2
    constexpr double kTerms[] = {0x1.0p-1,
                                 0x1.5555555553b78p-3,
                                 0x1.5555555554cb7p-5,
                                 0x1.1111111c478ebp-7,
                                 0x1.6c16c1738ff55p-10,
                                 0x1.a019ada3609f3p-13,
                                 0x1.a019c9a5652d3p-16,
                                 0x1.72c72ca338df0p-19,
                                 0x1.2880411bad1aap-22};
    rest = r + r * r * polynomial(kTerms, r);
    scale = std::bit_cast<double>((std::bit_cast<std::uint64_t>(raised) + 1023) << 52);
  }
  [[nodiscard]] double value() const { return scale + scale * rest; }
};

/// x, or the bound that it exceeds; NaN stays.
[[nodiscard]] inline double within(double x, double low, double high) {
  const double raised = x < low ? low : x;
  return raised > high ? high : raised;
}

// Beyond these exponents a float is zero or infinity.
inline constexpr double kLeastExponent = -110, kGreatestExponent = 100;

[[nodiscard]] inline double exp(double x) { return Exponential(within(x, kLeastExponent, kGreatestExponent)).value(); }

[[nodiscard]] inline double sigmoid(double x) {
  return 1 / (1 + Exponential(within(-x, -kGreatestExponent, -kLeastExponent)).value());
}

/// (e^2x - 1) / (e^2x + 1); beyond 20 a float is 1.
[[nodiscard]] inline double tanh(double x) {
  const Exponential twice(2 * within(std::fabs(x), 0, 20));
  const double less_one = twice.scale * twice.rest + (twice.scale - 1);
  return std::copysign(less_one / (less_one + 2), x);
}

[[nodiscard]] inline double log(double x) {
  // x = 2^k m, m from sqrt(1/2) to sqrt(2)
  constexpr std::uint64_t kOne = std::uint64_t{1023} << 52, kMantissa = (std::uint64_t{1} << 52) - 1;
  constexpr auto kRootHalf = std::bit_cast<std::uint64_t>(0x1.6a09e667f3bcdp-1);
  constexpr double kTwo52 = 0x1p52;
  const auto bits = std::bit_cast<std::uint64_t>(x) + (kOne - kRootHalf);
  const double k = std::bit_cast<double>((bits >> 52) | std::bit_cast<std::uint64_t>(kTwo52)) - (kTwo52 + 1023);
  const double m = std::bit_cast<double>((bits & kMantissa) + kRootHalf);
  const double s = (m - 1) / (m + 1), z = s * s;
  // (2 atanh(s) - 2 s) / s^3 by s^2, where s reaches 3 - sqrt(8)
  constexpr double kTerms[] = {0x1.5555555555558p-1, 0x1.99999999952d7p-2, 0x1.2492492df281ap-2, 0x1.c71c62e3f11e6p-3,
                               0x1.7462b51cb66b1p-3, 0x1.39fe51a7c18f9p-3, 0x1.2b5900de53b32p-3};
  const double number = k * kLn2 + (2 * s + (s * z * polynomial(kTerms, z) + k * kLn2Rest));
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  const double not_positive = x == 0 ? -kInfinity : std::numeric_limits<double>::quiet_NaN();
  const double positive = x == kInfinity ? kInfinity : number;
  return x > 0 ? positive : not_positive;
}

/// Of a positive finite base, or zero with a positive exponent.
[[nodiscard]] inline double pow(double base, double exponent) { return exp(exponent * log(base)); }

/// 1 / sqrt(x): that of float, and a step of Newton's method, which doubles its bits.
[[nodiscard]] inline double reciprocal_root(double x) {
  const double start = 1 / std::sqrt(static_cast<float>(x));
  const double root = start + start * (0.5 - 0.5 * (x * start * start));
  // Zeros and infinities are final.
  return x > 0 && x < std::numeric_limits<double>::infinity() ? root : start;
}

/// x times a polynomial in x^2; beyond 4 a float is 1.
[[nodiscard]] inline double erf(double x) {
  const double near = within(x, -4, 4);
  // erf(x) / x by x^2 / 8 - 1
  constexpr double kTerms[] = {
      0x1.6a040781a4867p-2,  -0x1.69a0ccda3de95p-3,  0x1.0dabaf063f5a8p-3,  -0x1.b92e95c1acc28p-4,
      0x1.717efc681b7c7p-4,  -0x1.3215d8b28d6ecp-4,  0x1.ea97f3a51a1bdp-5,  -0x1.76e8654bad868p-5,
      0x1.0ed515703ba75p-5,  -0x1.7034ec83b3ee5p-6,  0x1.d63727e475de2p-7,  -0x1.1a02d2f2153cbp-7,
      0x1.3e06cfa0506c3p-8,  -0x1.51e6147b00561p-9,  0x1.535f7332bf0afp-10, -0x1.41aec5471e8a6p-11,
      0x1.1dadbe34ae020p-12, -0x1.e9ba0bde4bfe8p-14, 0x1.abc8861189d8fp-15, -0x1.46bad4c89de10p-16,
      0x1.46a885797d93dp-18, -0x1.effd8ad23ca97p-20, 0x1.99629bc9271fap-20, -0x1.ffef2bb611fc2p-22};
  return near * polynomial(kTerms, near * near * 0.125 - 1);
}

/// Sine of r + quarters * pi / 2, where |r| is at most pi / 4.
[[nodiscard]] inline double sine_of(double r, std::uint64_t quarters) {
  constexpr double kSine[] = {-0x1.5555555555555p-3, 0x1.1111111110bb2p-7,   -0x1.a01a019e83816p-13,
                              0x1.71de379654304p-19, -0x1.ae600aca92c64p-26, 0x1.5e0b05bff20f2p-33};
  constexpr double kCosine[] = {0x1.5555555555555p-5,   -0x1.6c16c16c16967p-10, 0x1.a01a019f4e9b4p-16,
                                -0x1.27e4fa17bf139p-22, 0x1.1eeb68cd22f56p-29,  -0x1.907d8f29fe831p-37};
  const double z = r * r, sine = r * (1 + z * polynomial(kSine, z)),
               cosine = 1 - 0.5 * z + z * z * polynomial(kCosine, z);
  const auto is_odd = ~(quarters & 1) + 1;
  const auto value = (std::bit_cast<std::uint64_t>(cosine) & is_odd) | (std::bit_cast<std::uint64_t>(sine) & ~is_odd);
  return std::bit_cast<double>(value ^ ((quarters & 2) << 62));
}

/// Up to here sine() is as exact as the others; beyond, large_sine() is.
inline constexpr double kGreatestAngle = 0x1p20;

/// Sine of x + quarters * pi / 2.
[[nodiscard]] inline double sine(double x, std::uint64_t quarters) {
  // pi / 2 in parts of 33 bits: products with n are exact.
  constexpr double kHalfPi = 0x1.921fb544p0, kSecond = 0x1.0b4611a6p-34, kThird = 0x1.3198a2e037073p-69;
  constexpr double kTwoByPi = 0x1.45f306dc9c883p-1;
  const double raised = x * kTwoByPi + kWhole, n = raised - kWhole;
  return sine_of(((x - n * kHalfPi) - n * kSecond) - n * kThird, std::bit_cast<std::uint64_t>(raised) + quarters);
}
[[nodiscard]] double large_sine(double x, std::uint64_t quarters);

}  // namespace macaw::tosa::elementary
