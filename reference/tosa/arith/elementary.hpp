// Included once for each target of Highway.
#if defined(MACAW_REFERENCE_ARITH_ELEMENTARY) == defined(HWY_TARGET_TOGGLE)
#ifdef MACAW_REFERENCE_ARITH_ELEMENTARY
#undef MACAW_REFERENCE_ARITH_ELEMENTARY
#else
#define MACAW_REFERENCE_ARITH_ELEMENTARY
#endif

#include "reference/tosa/arith/angle_parts.hpp"
#include "reference/tosa/arith/numbers.hpp"

// Elementary functions of numbers that a float holds, in double, to within 2^-42 of the result: rounded to float they
// are right but for rare ones (docs/ACCURACY.md). Made of operations that IEEE 754 defines, the fused multiply-add
// among them, and of bits, in an order that nothing changes, so that they are the same on every machine; without
// branches, for vectors. The function of a float x is finish(x, float(value(double(x)))). Polynomials interpolate at
// Chebyshev nodes.

HWY_BEFORE_NAMESPACE();
namespace macaw::tosa::HWY_NAMESPACE::elementary {

/// c[0] + c[1] x + c[2] x^2 + ...
template <std::size_t kAt = 0, class V, std::size_t kTerms>
HWY_INLINE V polynomial(const double (&c)[kTerms], V x) {
  if constexpr (kAt + 1 == kTerms) return number<V>(c[kAt]);
  else return fused(polynomial<kAt + 1>(c, x), x, c[kAt]);
}

/// (2^r - 1) / r within 1/32, to within 2^-41 and 2^-50
inline constexpr double kPowerTerms[] = {0x1.62e42fefa39efp-1, 0x1.ebfbdff6988c8p-3, 0x1.c6b08d6faa1bep-5,
                                         0x1.3b2c4ac7da565p-7, 0x1.5d893e58acc63p-10};
inline constexpr double kFinePowerTerms[] = {0x1.62e42fefa39f3p-1, 0x1.ebfbdff82c59p-3,   0x1.c6b08d6f2a289p-5,
                                             0x1.3b2ab6fb41213p-7, 0x1.5d897e525c216p-10, 0x1.430a1d08ec681p-13};

/// 2^(x * factor) = scale + scale * rest, where scale is a power of 2^(1/16). |x * factor| is below 700.
template <class V>
struct PowerOfTwo {
  V scale, rest;

  template <std::size_t kTerms>
  HWY_INLINE PowerOfTwo(V x, double factor, const double (&terms)[kTerms])
      : PowerOfTwo(fused(x, number<V>(factor), kSixteenths), x, number<V>(factor), terms) {}

  [[nodiscard]] HWY_INLINE V value() const { return fused(scale, rest, scale); }

 private:
  // A sum of a smaller number with this is a multiple of 1/16, and its low bits are how many.
  static constexpr double kSixteenths = 0x1.8p48;

  template <std::size_t kTerms>
  HWY_INLINE PowerOfTwo(V raised, V x, V factor, const double (&terms)[kTerms])
      : scale(power(bits_of(raised))), rest(less_one(fused(x, factor, number<V>(kSixteenths) - raised), terms)) {}

  template <std::size_t kTerms>
  static HWY_INLINE V less_one(V r, const double (&terms)[kTerms]) {
    return r * polynomial(terms, r);
  }
  static HWY_INLINE V power(Bits<V> sixteenths) {
    static constexpr double kPowers[] = {less(0, 1),
                                         less(1, 0x1.0b5586cf9890fp0),
                                         less(2, 0x1.172b83c7d517bp0),
                                         less(3, 0x1.2387a6e756238p0),
                                         less(4, 0x1.306fe0a31b715p0),
                                         less(5, 0x1.3dea64c123422p0),
                                         less(6, 0x1.4bfdad5362a27p0),
                                         less(7, 0x1.5ab07dd485429p0),
                                         less(8, 0x1.6a09e667f3bcdp0),
                                         less(9, 0x1.7a11473eb0187p0),
                                         less(10, 0x1.8ace5422aa0dbp0),
                                         less(11, 0x1.9c49182a3f09p0),
                                         less(12, 0x1.ae89f995ad3adp0),
                                         less(13, 0x1.c199bdd85529cp0),
                                         less(14, 0x1.d5818dcfba487p0),
                                         less(15, 0x1.ea4afa2a490dap0)};
    return number_of<V>(bits_of(Sixteenth<V>(sixteenths).of(kPowers)) + shifted_left<48>(sixteenths));
  }
  /// 2^(count / 16) without what `count` adds to its bits besides the whole exponent.
  static constexpr double less(std::uint64_t count, double power) {
    return std::bit_cast<double>(std::bit_cast<std::uint64_t>(power) - (count << 48));
  }
};

inline constexpr double kLog2E = 0x1.71547652b82fep0, kLn2 = 0x1.62e42fefa39efp-1;
// Beyond these exponents of e a float is zero or infinity.
inline constexpr double kLeastExponent = -110, kGreatestExponent = 100;

template <class V>
HWY_INLINE V within(V x, double low, double high) {
  return greatest(least(x, number<V>(high)), number<V>(low));
}
template <class F>
HWY_INLINE F unless_nan(F x, F result) {
  return only_if(is_equal(x, x), result);
}

struct Exp {
  template <class V>
  static HWY_INLINE V value(V x) {
    return PowerOfTwo<V>(within(x, kLeastExponent, kGreatestExponent), kLog2E, kPowerTerms).value();
  }
  template <class F>
  static HWY_INLINE F finish(F x, F result) {
    return unless_nan(x, result);
  }
};

/// 1 / (1 + e^-x)
struct Sigmoid : Exp {
  template <class V>
  static HWY_INLINE V value(V x) {
    const auto one = number<V>(1), near = within(x, kLeastExponent, kGreatestExponent);
    return one / (one + PowerOfTwo<V>(near, -kLog2E, kPowerTerms).value());
  }
};

/// (e^2x - 1) / (e^2x + 1) with the sign of x; beyond 20 a float is 1.
struct Tanh {
  template <class V>
  static HWY_INLINE V value(V x) {
    const PowerOfTwo<V> power(least(magnitude(x), number<V>(20)), 2 * kLog2E, kFinePowerTerms);
    const auto less_one = fused(power.scale, power.rest, power.scale - number<V>(1));
    return less_one / (less_one + number<V>(2));
  }
  template <class F>
  static HWY_INLINE F finish(F x, F result) {
    return unless_nan(x, with_sign(result, x));
  }
};

/// x = 2^exponent * (1 + rest) / c, where c is one of sixteen numbers about 1 / x that make 1 + rest exact; 1 for those
/// around 1. x is positive and finite.
template <class V>
struct Octave {
  V exponent;
  Sixteenth<V> which;
  V rest;

  HWY_INLINE explicit Octave(V x) : Octave(bits_of(x) + integer<V>(kOne - kLeast), nullptr) {}

 private:
  static constexpr std::uint64_t kUnit = std::uint64_t{1} << 52, kOne = 1023 * kUnit;
  // Where mantissas begin: of sixteen equal parts of the bits from here on, the ninth has 1 in its middle.
  static constexpr std::uint64_t kLeast = 0x3FE7'5555'0000'0000;

  HWY_INLINE Octave(Bits<V> above, std::nullptr_t)
      : exponent(exponent_of(above)), which(shifted_right<48>(above)), rest(rest_of(above, which)) {}

  static HWY_INLINE V exponent_of(Bits<V> above) {
    constexpr double kTwo52 = 0x1p52;
    const auto biased = shifted_right<52>(above) | integer<V>(std::bit_cast<std::uint64_t>(kTwo52));
    return number_of<V>(biased) - number<V>(kTwo52 + 1023);
  }
  static HWY_INLINE V rest_of(Bits<V> above, Sixteenth<V> which) {
    const auto mantissa = number_of<V>((above & integer<V>(kUnit - 1)) + integer<V>(kLeast));
    static constexpr double kReciprocals[] = {0x1.57b8p0, 0x1.49ep0,  0x1.3d2p0,  0x1.3148p0, 0x1.265p0,  0x1.1c2p0,
                                              0x1.1298p0, 0x1.09bp0,  1,          0x1.e6ap-1, 0x1.cb6p-1, 0x1.b3p-1,
                                              0x1.9d1p-1, 0x1.893p-1, 0x1.773p-1, 0x1.66cp-1};
    return fused(mantissa, which.of(kReciprocals), -1.0);
  }
};

struct Log {
  template <class V>
  static HWY_INLINE V value(V x) {
    const Octave<V> octave(x);
    // log(1 + r) / r
    static constexpr double kTerms[] = {0x1.ffffffffffffbp-1,  -0x1.0000000014ab8p-1, 0x1.55555555bc36ap-2,
                                        -0x1.fffff48faa19fp-3, 0x1.999987ce4a82bp-3,  -0x1.55ba9a1e4a96ep-3,
                                        0x1.250751c567bb5p-3};
    // of the reciprocals of the sixteen numbers
    static constexpr double kLogs[] = {-0x1.2db7c1e3b42ecp-2, -0x1.039f08744c24dp-2, -0x1.b683cc731fb0bp-3,
                                       -0x1.68901178a013ep-3, -0x1.1d9fa8f577c22p-3, -0x1.aaf43f0ee365dp-4,
                                       -0x1.1f31355d6f783p-4, -0x1.304746702854ep-5, 0,
                                       0x1.a067f436733ap-5,   0x1.bc3e32f0897b3p-4,  0x1.4dc7b897bc1c8p-3,
                                       0x1.b7c21d2ea259ap-3,  0x1.0e5ffc17a57d5p-2,  0x1.3e5c3c304398p-2,
                                       0x1.6c3c5248bf9f6p-2};
    const auto whole = fused(octave.exponent, number<V>(kLn2), octave.which.of(kLogs));
    return fused(octave.rest, polynomial(kTerms, octave.rest), whole);
  }
  template <class F>
  static HWY_INLINE F finish(F x, F result) {
    const auto zero = number<F>(0), infinity = number<F>(std::numeric_limits<double>::infinity());
    const auto positive = only_if(is_less(zero, x), choose(is_less(x, infinity), result, infinity));
    return choose(is_equal(x, zero), zero - infinity, positive);
  }
};

/// For a positive base, or zero with a positive exponent, both finite: never NaN; otherwise NaN.
struct Pow {
  template <class V>
  static HWY_INLINE V value(V base, V exponent) {
    const Octave<V> octave(base);
    // log2(1 + r) / r to within 2^-50
    static constexpr double kTerms[] = {0x1.71547652b82fbp0,   -0x1.71547652b82dbp-1, 0x1.ec709dc41971ap-2,
                                        -0x1.71547653c6d8cp-2, 0x1.2776ba94416c6p-2,  -0x1.ec707d7c371bap-3,
                                        0x1.a6abd1d5574d6p-3,  -0x1.7201a8d4445d1p-3};
    // of the reciprocals of the sixteen numbers
    static constexpr double kLogs[] = {-0x1.b3496a3906be2p-2, -0x1.768de35d998b3p-2, -0x1.3c5253cfbc34bp-2,
                                       -0x1.04174f8dc1f7bp-2, -0x1.9c115ef124af8p-3, -0x1.33fb762fd8927p-3,
                                       -0x1.9e54aeceab521p-4, -0x1.b6fb208df328p-5,  0,
                                       0x1.2c5f9cca8ab53p-4,  0x1.40741c94d20f5p-3,  0x1.e18b00e13123dp-3,
                                       0x1.3d37f181aeab9p-2,  0x1.86118ed468c52p-2,  0x1.cb4bfc2ab39bbp-2,
                                       0x1.06bd8f5fadb18p-1};
    const auto whole = octave.exponent + octave.which.of(kLogs);
    const auto any = exponent * fused(octave.rest, polynomial(kTerms, octave.rest), whole);
    // Beyond these powers of two a float is zero or infinity.
    return PowerOfTwo<V>(within(any, -160, 130), 1, kPowerTerms).value();
  }
  template <class F>
  static HWY_INLINE F finish(F base, F exponent, F result) {
    const auto zero = number<F>(0), infinity = number<F>(std::numeric_limits<double>::infinity());
    const auto of_zero = only_if(is_less(zero, exponent), zero);
    const auto power = choose(is_less(zero, base), result, only_if(is_equal(base, zero), of_zero));
    return only_if(is_less(magnitude(exponent), infinity), only_if(is_less(base, infinity), power));
  }
};

/// |x| times a polynomial for each sixteenth of the range, with the sign of x; from 4 on a float is 1.
struct Erf {
  template <class V>
  static HWY_INLINE V value(V x) {
    const auto near = least(magnitude(x), number<V>(0x1.fffffep1)), beyond = near - number<V>(0.125);
    // A sum of a smaller number with this is a multiple of 1/4, and its low bits are how many.
    constexpr double kQuarters = 0x1.8p50;
    const auto raised = beyond + number<V>(kQuarters), from_middle = beyond - (raised - number<V>(kQuarters));
    return near * piece(Sixteenth<V>(bits_of(raised)), from_middle);
  }
  template <class F>
  static HWY_INLINE F finish(F x, F result) {
    return unless_nan(x, with_sign(result, x));
  }

 private:
  /// erf(x) / x by the distance of x from the middle of its sixteenth: kTerms[power][sixteenth]
  static constexpr double kTerms[][16] = {
      {0x1.1f5e1a35c3b89p0, 0x1.13e08c7a16a26p0, 0x1.fe8f1614e4ebbp-1, 0x1.cacbc181f7fbdp-1, 0x1.9450bb1ec6057p-1,
       0x1.611065fc93172p-1, 0x1.3448f8704c35dp-1, 0x1.0ee12190b194ap-1, 0x1.e09a79ee7db91p-2, 0x1.aed200cd67bebp-2,
       0x1.8603df090937fp-2, 0x1.64282886fef72p-2, 0x1.47ad3ff3018a1p-2, 0x1.2f6827c1b08c7p-2, 0x1.1a7b909ae7a4ap-2,
       0x1.08420fc7a4912p-2},
      {-0x1.7d900b9e694e8p-4, -0x1.09ac3c1b18a5ap-2, -0x1.7edef5d88ff21p-2, -0x1.b29323959dc83p-2,
       -0x1.ad1533f371e7cp-2, -0x1.82ad1810bd638p-2, -0x1.48b7c44d5280cp-2, -0x1.0e9e17d610453p-2,
       -0x1.b87061646af2fp-3, -0x1.675759c9f9a87p-3, -0x1.284241dbd6189p-3, -0x1.ef1beecc9d51fp-4,
       -0x1.a35763ed2fd87p-4, -0x1.6793ed0a046c2p-4, -0x1.37b3d82995401p-4, -0x1.10c83ad00a40cp-4},
      {-0x1.766bd13cf67e3p-2, -0x1.276ba5c06234ap-2, -0x1.5275c582f0a8ep-3, -0x1.4574d9b0aaf6cp-5, 0x1.bbf4930fccdccp-5,
       0x1.ab151a7972ddfp-4, 0x1.df8987f77ecb2p-4, 0x1.b7e9ea2ad827ap-4, 0x1.6bfb99623b9d8p-4, 0x1.1e314dd8ece7fp-4,
       0x1.ba09e2a357fb1p-5, 0x1.560bd27a00c69p-5, 0x1.0bd914bd58e5p-5, 0x1.a9f5181dfa64cp-6, 0x1.57e94aec02bb2p-6,
       0x1.199374fd5823bp-6},
      {0x1.c5a8df15d43f5p-5, 0x1.24d6bb3985f6ap-3, 0x1.671c4ee5f2f8ap-3, 0x1.367b5cd32861bp-3, 0x1.8a284bb2a1d73p-4,
       0x1.3fc0dab3d19c7p-5, -0x1.685f0dd2e25b6p-10, -0x1.5d2c622ac2822p-6, -0x1.ae6bfd97afbaap-6,
       -0x1.8349c33e64dcdp-6, -0x1.3244824220a51p-6, -0x1.cac3dc8539b76p-7, -0x1.52a6a0df05c8cp-7,
       -0x1.f70a65c3b2b14p-8, -0x1.7b269634171afp-8, -0x1.229a7def60e62p-8},
      {0x1.b4c166332e028p-4, 0x1.01ba55d8d6976p-4, 0x1.d2c7a6e63eed1p-10, -0x1.6f0e98878029fp-5, -0x1.f10767c6ea2bbp-5,
       -0x1.9e43d513639b7p-5, -0x1.e76d97c59e854p-6, -0x1.6e17e74a8096bp-7, -0x1.63245993e4ecdp-15,
       0x1.21e01f6dbd313p-8, 0x1.4b850d3ecd41ap-8, 0x1.143ef76ba7061p-8, 0x1.9a163840f421ap-9, 0x1.2496774c2acc5p-9,
       0x1.a01e86b86fd1ep-10, 0x1.2b93928f95fd5p-10},
      {-0x1.40deca016b514p-6, -0x1.7d1e22e6166c7p-5, -0x1.7ea5f574d4cf4p-5, -0x1.a39a9ea8d12ebp-6,
       -0x1.2fba4e8aaf769p-11, 0x1.dbbed324cc886p-7, 0x1.166e2a71aed54p-6, 0x1.8b93c435ba235p-7, 0x1.82ade0ddc0ebep-8,
       0x1.b241e2a6e5064p-10, -0x1.4fd579ca7aa7dp-12, -0x1.c84288951fb4ap-11, -0x1.ac1e493c8112bp-11,
       -0x1.4154dc4ae96b5p-11, -0x1.bfb6f4f5fe3ddp-12, -0x1.3304db5081bcfp-12},
      {-0x1.936fa299a6fffp-6, -0x1.390f05c482c64p-7, 0x1.194e06e5c025ep-7, 0x1.1d687e9d98c11p-6, 0x1.d5673237b3754p-7,
       0x1.6c42dd497d8b6p-8, -0x1.a00f918bd8079p-10, -0x1.1674ec8d23cdcp-8, -0x1.dc46d50527b1ep-9,
       -0x1.0748c6b813a09p-9, -0x1.80cb88700bd02p-11, -0x1.89ab3f47d8123p-14, 0x1.e8e4bd92c016ep-14,
       0x1.21dcf909f1e48p-13, 0x1.c04b6c4cc6293p-14, 0x1.3328bb923fd24p-14},
      {0x1.47150eec763f2p-8, 0x1.63829d33512eap-7, 0x1.15e5ee3d3b4bap-7, 0x1.644178e85545cp-10, -0x1.10414ae381df9p-8,
       -0x1.4ae599f06d3fbp-8, -0x1.72b7c375b0b56p-9, -0x1.879c257d5bd56p-12, 0x1.ae8f3fce95b96p-11,
       0x1.d500035d0ad45p-11, 0x1.1ad90aa748b5cp-11, 0x1.c8bedaf05d2aap-13, 0x1.99a7f84a8469cp-15,
       -0x1.5a2b7fc261e48p-17, -0x1.5b32d258ff584p-16, -0x1.1a2f4be236589p-16},
      {0x1.2e39bec24f52ap-8, 0x1.cc45c50a24742p-11, -0x1.7dc3e9a2cbbcbp-9, -0x1.db6a3cda8b1c7p-9,
       -0x1.abf280214d0fcp-10, 0x1.30d4d17c150c8p-11, 0x1.69419229f082ap-10, 0x1.f4997858b7af3p-11,
       0x1.133d753143b1fp-12, -0x1.079ac966ee88fp-13, -0x1.91415742cc69dp-13, -0x1.00edd60b7b2fep-13,
       -0x1.ad63b2759a0d3p-15, -0x1.bc50e7a4b37f5p-17, 0x1.194aff19a91b2p-23, 0x1.79f778799329cp-19},
  };
  template <std::size_t kAt = 0, class V>
  static HWY_INLINE V piece(Sixteenth<V> which, V x) {
    if constexpr (kAt + 1 == std::size(kTerms)) return which.of(kTerms[kAt]);
    else return fused(piece<kAt + 1>(which, x), x, which.of(kTerms[kAt]));
  }
};

/// Sine, or with kQuarters = 1 cosine, of angles that are not large.
template <int kQuarters>
struct Sine {
  template <class V>
  static HWY_INLINE V value(V x) {
    // Pi in two parts: the first fused product is exact.
    constexpr double kPi = 0x1.921fb54442d18p1, kRest = 0x1.1a62633145c07p-53, kByPi = 0x1.45f306dc9c883p-2;
    const auto raised = fused(x, number<V>(kByPi), -0.5 * kQuarters) + number<V>(kWhole);
    const auto turns = raised - number<V>(kWhole) + number<V>(0.5 * kQuarters);
    const auto r = fused(turns, number<V>(-kRest), fused(turns, number<V>(-kPi), x));
    return of_rest(r, bits_of(raised));
  }
  template <class F>
  static HWY_INLINE F finish(F, F result) {
    return result;
  }

 protected:
  /// A sum of a smaller number with this has no bits below the point, and its low bits are that integer.
  static constexpr double kWhole = 0x1.8p52;

  /// Sine or cosine of r + (turns + kQuarters / 2) pi, where |r| is at most pi / 2.
  template <class V>
  static HWY_INLINE V of_rest(V r, Bits<V> turns) {
    // sin(r) / r by r^2
    static constexpr double kTerms[] = {0x1.ffffffffffe3ap-1,   -0x1.5555555543bb2p-3, 0x1.11111109ee17ap-7,
                                        -0x1.a019fd487d2dcp-13, 0x1.71dcf806fa696p-19, -0x1.ae0443c43fe01p-26,
                                        0x1.52e518c09afe4p-33};
    const auto sine = r * polynomial(kTerms, r * r);
    return number_of<V>(bits_of(sine) ^ shifted_left<63>(turns + integer<V>(kQuarters)));
  }
};

/// The same of large finite angles, otherwise NaN.
template <int kQuarters>
struct LargeSine : Sine<kQuarters> {
  using Base = Sine<kQuarters>;

  /// x / pi modulo 2, from those bits of 1 / pi that are not a multiple of 2 in the product (Payne and Hanek).
  template <class V>
  static HWY_INLINE V value(V x) {
    constexpr auto kUnit = std::uint64_t{1} << 52, kSign = std::uint64_t{1} << 63;
    // Other numbers get the parts of another exponent.
    const auto bits = bits_of(x), exponent = shifted_right<53>(shifted_left<1>(bits));
    const auto which = (exponent - integer<V>(1023 + kLeastAngleExponent)) & integer<V>(kAngleExponents - 1);
    const auto mantissa = number_of<V>((bits & integer<V>(kSign | (kUnit - 1))) | integer<V>((1023 + 23) * kUnit));
    // The first two products are exact, and so are the sums but for `lost`.
    const auto first = mantissa * entry<V>(kAngleParts.first, which) - number<V>(0.5 * kQuarters);
    const auto raised = first + number<V>(Base::kWhole), rest = first - (raised - number<V>(Base::kWhole));
    const auto second = mantissa * entry<V>(kAngleParts.second, which), sum = rest + second;
    const auto lost = second - (sum - rest);
    const auto raised_again = sum + number<V>(Base::kWhole), fraction = sum - (raised_again - number<V>(Base::kWhole));
    const auto r = fraction + (lost + mantissa * entry<V>(kAngleParts.third, which));
    return Base::of_rest(r * number<V>(0x1.921fb54442d18p1), bits_of(raised) + bits_of(raised_again));
  }
  template <class F>
  static HWY_INLINE F finish(F x, F result) {
    return only_if(is_finite(magnitude(x)), result);
  }

 private:
  template <class F>
  static HWY_INLINE auto is_finite(F size) {
    return is_less(size, number<F>(std::numeric_limits<double>::infinity()));
  }
};

}  // namespace macaw::tosa::HWY_NAMESPACE::elementary
HWY_AFTER_NAMESPACE();

#endif
