// Included once for each target of Highway.
#if defined(MACAW_REFERENCE_FAST_ELEMENTWISE_QUICK_POWER) == defined(HWY_TARGET_TOGGLE)
#ifdef MACAW_REFERENCE_FAST_ELEMENTWISE_QUICK_POWER
#undef MACAW_REFERENCE_FAST_ELEMENTWISE_QUICK_POWER
#else
#define MACAW_REFERENCE_FAST_ELEMENTWISE_QUICK_POWER
#endif

#include "reference/tosa/arith/elementary.hpp"
#include "reference/tosa/arith/float_format.hpp"
#include "reference/tosa/kernels/elementwise/quick.hpp"

#if MACAW_HAS_QUICK
HWY_BEFORE_NAMESPACE();
namespace macaw::tosa::HWY_NAMESPACE::elementary {

/// Powers of numbers of FP16 or BF16, as Pow and its rounding to float and to the type give them.
template <FloatFormat kF>
class QuickPower {
 public:
  static constexpr std::size_t kStep = 2 * kQuickLanes;

  /// out[i] = base[i] to the power of exponent[i] but for uncertain ones; `count` is a multiple of kStep.
  static HWY_NOINLINE void run(const std::uint16_t* base, const std::uint16_t* exponent, std::uint16_t* out,
                               std::size_t count, Uncertain& uncertain) {
    const Narrow narrow;
    for (std::size_t i = 0; i < count; i += kStep) {
      for (const auto* from : {base, exponent}) __builtin_prefetch(from + i + kAhead);
      __builtin_prefetch(out + i + kAhead, 1);
      const auto special = is_special(hn::LoadU(narrow, base + i), hn::LoadU(narrow, exponent + i));
      __mmask16 low_unsure, high_unsure;
      const auto low = of(load(base + i), load(exponent + i), low_unsure);
      const auto high = of(load(base + i + kQuickLanes), load(exponent + i + kQuickLanes), high_unsure);
      hn::StoreU(joined(low, high), narrow, out + i);
      const auto unsure = (static_cast<__mmask32>(high_unsure) << kQuickLanes | low_unsure) | special;
      if (HWY_LIKELY(unsure == 0)) continue;
      uncertain.add(i, static_cast<__mmask16>(unsure));
      uncertain.add(i + kQuickLanes, static_cast<__mmask16>(unsure >> kQuickLanes));
    }
  }

 private:
  using Narrow = hn::Full512<std::uint16_t>;
  static constexpr bool kIsHalf = kF.bias() != kBf16.bias();
  /// Bits of a float below the type's.
  static constexpr int kDropped = 23 - kF.mantissa_bits;
  /// For all operands, a power before rounding is off by at most 27 (FP16) or 197 (BF16) of the last bits of a float:
  /// tried.
  static constexpr std::uint32_t kOff = kIsHalf ? 32 : 256;
  // The processor's own prefetching ends with the page.
  static constexpr std::size_t kAhead = 1024;
  /// Powers of two from here on are infinite; those below the other are zero.
  static constexpr float kInfinite = kIsHalf ? 16 : 128, kZero = kIsHalf ? -26 : -135;

  static HWY_INLINE QuickVector load(const std::uint16_t* from) {
    using Type = std::conditional_t<kIsHalf, hwy::float16_t, hwy::bfloat16_t>;
    const hn::Rebind<Type, QuickTag> narrow;
    return hn::PromoteTo(QuickTag(), hn::LoadU(narrow, reinterpret_cast<const Type*>(from)));
  }
  /// Numbers in the high bits of `low` and then of `high`.
  static HWY_INLINE hn::Vec<Narrow> joined(QuickBits low, QuickBits high) {
    const Narrow d;
    if constexpr (kDropped == 16) return hn::ConcatOdd(d, hn::BitCast(d, high), hn::BitCast(d, low));
    else
      return hn::ConcatEven(d, hn::BitCast(d, hn::ShiftRight<kDropped>(high)),
                            hn::BitCast(d, hn::ShiftRight<kDropped>(low)));
  }

  /// Bases that are negative, infinite or NaN, or zero unless the exponent is positive, and exponents that are infinite
  /// or NaN.
  static HWY_INLINE __mmask32 is_special(hn::Vec<Narrow> base, hn::Vec<Narrow> exponent) {
    const Narrow d;
    const auto greatest = hn::Set(d, static_cast<std::uint16_t>(kF.greatest()));
    const auto either = hn::Max(base, exponent & hn::Set(d, static_cast<std::uint16_t>(kF.all_ones())));
    const auto zero = _mm512_testn_epi16_mask(base.raw, base.raw);
    return _mm512_cmpgt_epu16_mask(either.raw, greatest.raw) |
           _mm512_mask_cmple_epi16_mask(zero, exponent.raw, _mm512_setzero_si512());
  }

  /// The number in the bits from kDropped on.
  static HWY_INLINE QuickBits of(QuickVector base, QuickVector exponent, __mmask16& unsure) {
    const QuickTag d;
    const auto any = exponent * log2(base);
    const auto power = hn::Min(hn::Max(any, hn::Set(d, kZero)), hn::Set(d, kInfinite));
    constexpr std::uint32_t kUnit = 1u << kDropped;
    // A number that can be off by kOff does not pass the half of the last bit kept: then these bits are not all zero.
    const auto bits = bits_of(power_of_two(power)) + integer<QuickVector>(kUnit / 2 + kOff);
    unsure = _mm512_testn_epi32_mask(bits.raw, integer<QuickVector>(kUnit - 2 * kOff).raw);
    return bits;
  }

  /// The logarithm of a positive number; minus infinity for zero.
  static HWY_INLINE QuickVector log2(QuickVector x) {
    const QuickVector exponent{_mm512_getexp_ps(x.raw)},
        mantissa{_mm512_getmant_ps(x.raw, _MM_MANT_NORM_1_2, _MM_MANT_SIGN_zero)};
    const auto part = hn::ShiftRight<18>(bits_of(mantissa));
    const auto rest = hn::MulSub(mantissa, of_32(kReciprocals, part), hn::Set(QuickTag(), 1));
    const auto whole = exponent + of_32(kLogs, part);
    // log2(1 + r) / r
    static constexpr double kTerms[] = {0x1.715476p0, -0x1.7154b6p-1, 0x1.ec7e86p-2, -0x1.685ffep-2};
    return fused(polynomial(kTerms, rest), rest, whole);
  }
  /// 2^power, with the bias of the type: numbers that are subnormal in the type are subnormal as floats.
  static HWY_INLINE QuickVector power_of_two(QuickVector power) {
    const auto rounding = hn::Set(QuickTag(), kRounding<5>), raised = power + rounding, near = raised - rounding;
    const auto rest = power - near, scale = of_32(kBiased.entries, bits_of(raised));
    // (2^r - 1) / r
    static constexpr double kTerms[] = {0x1.62e514p-1, 0x1.ebfc7ep-3};
    return QuickVector{_mm512_scalef_ps(fused(scale * rest, polynomial(kTerms, rest), scale).raw, near.raw)};
  }

  /// For each thirty-second of [1, 2) a number about 1 / x, that of the first 1 and of the last 1/2: its product with a
  /// mantissa less 1 is exact.
  static constexpr float kReciprocals[32] = {
      0x1p0f,        0x1.ee1c8p-1f, 0x1.de128p-1f, 0x1.d228p-1f,  0x1.c514p-1f, 0x1.b7ee8p-1f, 0x1.adddp-1f,
      0x1.9d8fp-1f,  0x1.97008p-1f, 0x1.8a1c8p-1f, 0x1.88718p-1f, 0x1.79c3p-1f, 0x1.75c48p-1f, 0x1.6bc88p-1f,
      0x1.63e1p-1f,  0x1.57848p-1f, 0x1.560ep-1f,  0x1.4ddf8p-1f, 0x1.4772p-1f, 0x1.3f83p-1f,  0x1.38258p-1f,
      0x1.38258p-1f, 0x1.2fdap-1f,  0x1.274a8p-1f, 0x1.274a8p-1f, 0x1.20c5p-1f, 0x1.17398p-1f, 0x1.12578p-1f,
      0x1.12578p-1f, 0x1.0e218p-1f, 0x1.080b8p-1f, 0x1p-1f};
  /// Minus their logarithms, to within 2^-28: the sum with an exponent is exact.
  static constexpr float kLogs[32] = {
      0x0p0f,       0x1.a45p-5f,  0x1.9528p-4f, 0x1.1528p-3f, 0x1.693cp-3f, 0x1.c03cp-3f, 0x1.0252p-2f, 0x1.3b72p-2f,
      0x1.530ep-2f, 0x1.829ap-2f, 0x1.88dep-2f, 0x1.c132p-2f, 0x1.d0e6p-2f, 0x1.f8e6p-2f, 0x1.0cadp-1f, 0x1.26cap-1f,
      0x1.29f1p-1f, 0x1.3bd3p-1f, 0x1.4a2fp-1f, 0x1.5c4dp-1f, 0x1.6d87p-1f, 0x1.6d87p-1f, 0x1.816cp-1f, 0x1.9688p-1f,
      0x1.9688p-1f, 0x1.a707p-1f, 0x1.bfdbp-1f, 0x1.cce3p-1f, 0x1.cce3p-1f, 0x1.d85p-1f,  0x1.e925p-1f, 0x1p0f};
  struct Powers {
    float entries[32];
  };
  /// 2^(i/32), less the difference of the exponents' biases.
  static constexpr Powers kBiased = [] {
    Powers powers{{0x1p0f,        0x1.059b0ep0f, 0x1.0b5586p0f, 0x1.11301ep0f, 0x1.172b84p0f, 0x1.1d4874p0f,
                   0x1.2387a6p0f, 0x1.29e9ep0f,  0x1.306fep0f,  0x1.371a74p0f, 0x1.3dea64p0f, 0x1.44e086p0f,
                   0x1.4bfdaep0f, 0x1.5342b6p0f, 0x1.5ab07ep0f, 0x1.6247ecp0f, 0x1.6a09e6p0f, 0x1.71f75ep0f,
                   0x1.7a1148p0f, 0x1.82589ap0f, 0x1.8ace54p0f, 0x1.93737cp0f, 0x1.9c4918p0f, 0x1.a5503cp0f,
                   0x1.ae89fap0f, 0x1.b7f77p0f,  0x1.c199bep0f, 0x1.cb720ep0f, 0x1.d5818ep0f, 0x1.dfc974p0f,
                   0x1.ea4afap0f, 0x1.f50766p0f}};
    if (kIsHalf)
      for (auto& power : powers.entries) power *= 0x1p-112f;
    return powers;
  }();
};

}  // namespace macaw::tosa::HWY_NAMESPACE::elementary
HWY_AFTER_NAMESPACE();
#endif

#endif
