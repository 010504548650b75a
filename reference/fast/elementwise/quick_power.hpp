// Included once for each target of Highway.
#if defined(MACAW_REFERENCE_FAST_ELEMENTWISE_QUICK_POWER) == defined(HWY_TARGET_TOGGLE)
#ifdef MACAW_REFERENCE_FAST_ELEMENTWISE_QUICK_POWER
#undef MACAW_REFERENCE_FAST_ELEMENTWISE_QUICK_POWER
#else
#define MACAW_REFERENCE_FAST_ELEMENTWISE_QUICK_POWER
#endif

#include "reference/arith/float_format.hpp"
#include "reference/fast/elementwise/quick.hpp"

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
  /// Of all operands a power before rounding is off by at most 27 (FP16) or 197 (BF16) of the last bits of a float:
  /// tried.
  static constexpr std::uint32_t kOff = kIsHalf ? 32 : 256;
  // The processor's own prefetching ends with the page.
  static constexpr std::size_t kAhead = 1024;
  /// Powers of two from here on are infinite; those below kLeast are zero and those from kLeastNormal on are normal.
  static constexpr float kInfinite = kIsHalf ? 16 : 128, kLeast = kIsHalf ? -30 : -135,
                         kLeastNormal = kIsHalf ? -14 : -125;

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
    const auto twice_greatest = hn::Set(d, static_cast<std::uint16_t>(2 * kF.greatest() + 1));
    const auto zero = _mm512_testn_epi16_mask(base.raw, base.raw);
    return _mm512_cmpgt_epu16_mask(base.raw, greatest.raw) |
           _mm512_cmpgt_epu16_mask((exponent + exponent).raw, twice_greatest.raw) |
           _mm512_mask_cmple_epi16_mask(zero, exponent.raw, _mm512_setzero_si512());
  }

  /// The number in the bits from kDropped on.
  static HWY_INLINE QuickBits of(QuickVector base, QuickVector exponent, __mmask16& unsure) {
    const QuickTag d;
    const auto any = exponent * log2(base);
    const auto power = hn::Min(hn::Max(any, hn::Set(d, kIsHalf ? kLeast : kLeast - 1)), hn::Set(d, kInfinite));
    constexpr std::uint32_t kUnit = 1u << 23, kHalf = 1u << (kDropped - 1);
    // A number that can be off by kOff does not pass the half of the last bit kept: then these are not all zero.
    const auto near_half = integer<QuickVector>(2 * kHalf - 2 * kOff);
    if constexpr (kIsHalf) {
      // The last bit of what is not normal is that of the least normal number.
      const auto least_normal = hn::Set(d, 0x1p-14f), result = power_of_two<0>(power);
      const auto small = _mm512_cmp_ps_mask(result.raw, least_normal.raw, _CMP_LT_OQ);
      const QuickVector raised{_mm512_mask_add_ps(result.raw, small, result.raw, least_normal.raw)};
      const auto bits = bits_of(raised) + integer<QuickVector>(kHalf + kOff - (127 - kF.bias()) * kUnit);
      unsure = _mm512_testn_epi32_mask(bits.raw, near_half.raw);
      return QuickBits{_mm512_mask_sub_epi32(bits.raw, small, bits.raw, integer<QuickVector>(kUnit).raw)};
    } else {
      const auto normal = _mm512_cmp_ps_mask(power.raw, hn::Set(d, kLeastNormal).raw, _CMP_GE_OQ);
      const auto zero = _mm512_cmp_ps_mask(power.raw, hn::Set(d, kLeast).raw, _CMP_LT_OQ);
      // Half the power, so that infinity is a number before it is raised.
      const auto raise = integer<QuickVector>(kHalf + kOff + kUnit);
      const QuickBits bits{_mm512_maskz_add_epi32(normal, bits_of(power_of_two<1>(power)).raw, raise.raw)};
      unsure = _mm512_mask_testn_epi32_mask(normal, bits.raw, near_half.raw) | static_cast<__mmask16>(~(normal | zero));
      return bits;
    }
  }

  /// Of a positive number; minus infinity of zero.
  static HWY_INLINE QuickVector log2(QuickVector x) {
    const QuickVector exponent{_mm512_getexp_ps(x.raw)},
        mantissa{_mm512_getmant_ps(x.raw, _MM_MANT_NORM_1_2, _MM_MANT_SIGN_zero)};
    const auto part = hn::ShiftRight<18>(bits_of(mantissa));
    const auto rest = hn::MulSub(mantissa, of_32(kReciprocals, part), hn::Set(QuickTag(), 1));
    const auto whole = exponent + of_32(kLogs, part);
    // log2(1 + r) / r
    const auto term = [](float c) HWY_ATTR { return hn::Set(QuickTag(), c); };
    const auto sum = fused(fused(fused(term(-0x1.685ffep-2f), rest, term(0x1.ec7e86p-2f)), rest, term(-0x1.7154b6p-1f)),
                           rest, term(0x1.715476p0f));
    return fused(sum, rest, whole);
  }
  /// 2^(power - kLess)
  template <int kLess>
  static HWY_INLINE QuickVector power_of_two(QuickVector power) {
    const auto rounding = hn::Set(QuickTag(), kRounding<5> - kLess);
    const auto raised = power + rounding, rest = power - (raised - rounding);
    const auto thirty_seconds = bits_of(raised);
    const auto scale =
        number_of<QuickVector>(bits_of(of_32(kPowers, thirty_seconds)) + hn::ShiftLeft<18>(thirty_seconds));
    // (2^r - 1) / r
    const auto sum = fused(hn::Set(QuickTag(), 0x1.ebfc7ep-3f), rest, hn::Set(QuickTag(), 0x1.62e514p-1f));
    return fused(scale, rest * sum, scale);
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
  static constexpr float kLogs[32] = {0,
                                      0x1.a45p-5f,
                                      0x1.9528p-4f,
                                      0x1.1528p-3f,
                                      0x1.693cp-3f,
                                      0x1.c03cp-3f,
                                      0x1.0252p-2f,
                                      0x1.3b72p-2f,
                                      0x1.530ep-2f,
                                      0x1.829ap-2f,
                                      0x1.88dep-2f,
                                      0x1.c132p-2f,
                                      0x1.d0e6p-2f,
                                      0x1.f8e6p-2f,
                                      0x1.0cadp-1f,
                                      0x1.26cap-1f,
                                      0x1.29f1p-1f,
                                      0x1.3bd3p-1f,
                                      0x1.4a2fp-1f,
                                      0x1.5c4dp-1f,
                                      0x1.6d87p-1f,
                                      0x1.6d87p-1f,
                                      0x1.816cp-1f,
                                      0x1.9688p-1f,
                                      0x1.9688p-1f,
                                      0x1.a707p-1f,
                                      0x1.bfdbp-1f,
                                      0x1.cce3p-1f,
                                      0x1.cce3p-1f,
                                      0x1.d85p-1f,
                                      0x1.e925p-1f,
                                      0x1p0f};
  /// 2^(i/32) without what i adds to its bits besides the whole exponent.
  static constexpr float kPowers[32] = {
      0x1p0f,         0x1.fd9b0ep-1f, 0x1.fb5586p-1f, 0x1.f9301ep-1f, 0x1.f72b84p-1f, 0x1.f54874p-1f, 0x1.f387a6p-1f,
      0x1.f1e9ep-1f,  0x1.f06fep-1f,  0x1.ef1a74p-1f, 0x1.edea64p-1f, 0x1.ece086p-1f, 0x1.ebfdaep-1f, 0x1.eb42b6p-1f,
      0x1.eab07ep-1f, 0x1.ea47ecp-1f, 0x1.ea09e6p-1f, 0x1.e9f75ep-1f, 0x1.ea1148p-1f, 0x1.ea589ap-1f, 0x1.eace54p-1f,
      0x1.eb737cp-1f, 0x1.ec4918p-1f, 0x1.ed503cp-1f, 0x1.ee89fap-1f, 0x1.eff77p-1f,  0x1.f199bep-1f, 0x1.f3720ep-1f,
      0x1.f5818ep-1f, 0x1.f7c974p-1f, 0x1.fa4afap-1f, 0x1.fd0766p-1f};
};

}  // namespace macaw::tosa::HWY_NAMESPACE::elementary
HWY_AFTER_NAMESPACE();
#endif

#endif
