// Included once for each target of Highway.
#if defined(MACAW_REFERENCE_FAST_ELEMENTWISE_QUICK_ERF) == defined(HWY_TARGET_TOGGLE)
#ifdef MACAW_REFERENCE_FAST_ELEMENTWISE_QUICK_ERF
#undef MACAW_REFERENCE_FAST_ELEMENTWISE_QUICK_ERF
#else
#define MACAW_REFERENCE_FAST_ELEMENTWISE_QUICK_ERF
#endif

#include "reference/tosa/kernels/elementwise/quick.hpp"

#if MACAW_HAS_QUICK
HWY_BEFORE_NAMESPACE();
namespace macaw::tosa::HWY_NAMESPACE::elementary {

/// The error function with the rounded result of Erf: from its value at the nearest eighth and a polynomial of the
/// distance from there, whose first two terms are sums of two floats.
class QuickErf {
 public:
  /// out[i] = erf(in[i]) but for uncertain ones; `count` is a multiple of the lanes.
  static HWY_NOINLINE void run(const float* in, float* out, std::size_t count, Uncertain& uncertain) {
    const QuickTag d;
    for (std::size_t i = 0; i < count; i += kQuickLanes) {
      __builtin_prefetch(in + i + kAhead);
      __builtin_prefetch(out + i + kAhead, 1);
      __mmask16 unsure;
      hn::StoreU(of(hn::LoadU(d, in + i), unsure), d, out + i);
      uncertain.add(i, unsure);
    }
  }

 private:
  // The processor's own prefetching ends with the page.
  static constexpr std::size_t kAhead = 512;
  /// For all floats from kLeast on, the relative error before rounding is below 2^-30.3 (exhaustive test).
  static constexpr float kOff = 0x1p-30f;
  /// Below this parts of products get lost.
  static constexpr float kLeast = 0x1p-80f;

  static HWY_INLINE QuickVector of(QuickVector x, __mmask16& unsure) {
    const QuickTag d;
    const auto size = hn::Abs(x);
    // The last number that has an entry; erf of it is 1, too. A NaN stays one and is uncertain.
    const QuickVector near{_mm512_min_ps(hn::Set(d, 0x1.f7fffep1f).raw, size.raw)};
    const auto raised = near + hn::Set(d, kRounding<3>), rest = near - (raised - hn::Set(d, kRounding<3>));
    const auto eighths = bits_of(raised);
    const auto entry = [&](int row) HWY_ATTR { return of_32(kTable[row], eighths); };
    auto sum = entry(kTerms);
    for (int row = kTerms - 1; row >= 4; --row) sum = fused(sum, rest, entry(row));
    const auto middle = entry(0), slope = entry(2);
    const auto step = slope * rest, step_low = fused(fused(sum, rest, entry(3)), rest, hn::MulSub(slope, rest, step));
    // As `step` is less than `middle`, if that is not zero, nothing is lost.
    const auto high = middle + step, low = (step - (high - middle)) + (step_low + entry(1));
    const auto off = hn::Set(d, kOff);
    const auto least = high + hn::NegMulAdd(high, off, low), greatest = high + fused(high, off, low);
    const auto one = integer<QuickVector>(1), limit = integer<QuickVector>(std::bit_cast<std::uint32_t>(kLeast) - 1);
    unsure = _mm512_cmp_ps_mask(least.raw, greatest.raw, _CMP_NEQ_UQ) |
             _mm512_cmplt_epu32_mask((bits_of(size) - one).raw, limit.raw);  // not of zero
    return with_sign(least, x);
  }

  static constexpr int kTerms = 8;
  /// At the nearest eighth: erf in two parts, its slope in two parts, and the factors of the powers from the second on.
  static constexpr float kTable[kTerms + 1][32] = {
      {0x0p0f,         0x1.1f5e1ap-3f, 0x1.1af54ep-2f, 0x1.9dd0d2p-2f, 0x1.0a7ef6p-1f, 0x1.3f196ep-1f, 0x1.6c1c98p-1f,
       0x1.91724ap-1f, 0x1.af767ap-1f, 0x1.c6dad2p-1f, 0x1.d8865ep-1f, 0x1.e5768cp-1f, 0x1.eea556p-1f, 0x1.f4f694p-1f,
       0x1.f92d08p-1f, 0x1.fbe61ep-1f, 0x1.fd9ae2p-1f, 0x1.fea422p-1f, 0x1.ff4048p-1f, 0x1.ff996p-1f,  0x1.ffcaa8p-1f,
       0x1.ffe514p-1f, 0x1.fff2dp-1f,  0x1.fff9bap-1f, 0x1.fffd1ap-1f, 0x1.fffeb4p-1f, 0x1.ffff7p-1f,  0x1.ffffc4p-1f,
       0x1.ffffe8p-1f, 0x1.fffff6p-1f, 0x1.fffffcp-1f, 0x1.fffffep-1f},
      {0x0p0f,           0x1.ae1dc4p-30f,  0x1.196b04p-29f,  0x1.6e43e8p-27f,  -0x1.f38916p-28f, -0x1.978766p-28f,
       -0x1.4c5e34p-26f, -0x1.5c8e08p-26f, 0x1.d04222p-27f,  0x1.053d8cp-26f,  -0x1.9d508p-27f,  0x1.da51fep-28f,
       -0x1.1d90a4p-26f, -0x1.2610a2p-27f, -0x1.00e552p-26f, 0x1.de99eep-26f,  -0x1.7b0d44p-26f, -0x1.ca69aep-27f,
       -0x1.3f9ccap-26f, 0x1.e7d664p-26f,  0x1.e9937ep-26f,  0x1.77b832p-26f,  -0x1.3eeb0ap-27f, 0x1.083a0ep-27f,
       0x1.8826cp-26f,   -0x1.44d984p-29f, -0x1.82606ap-27f, -0x1.d24c26p-26f, -0x1.de5534p-26f, 0x1.8c3da6p-29f,
       0x1.78b8f2p-28f,  0x1.259db2p-26f},
      {0x1.20dd76p0f,   0x1.1c62fap0f,   0x1.0f5d16p0f,   0x1.f5f0cep-1f,  0x1.c1efcap-1f,  0x1.86e96ap-1f,
       0x1.492e42p-1f,  0x1.0cab62p-1f,  0x1.a911fp-2f,   0x1.45e99cp-2f,  0x1.e4653p-3f,   0x1.5ce596p-3f,
       0x1.e72372p-4f,  0x1.499d48p-4f,  0x1.b0553p-5f,   0x1.12ceb4p-5f,  0x1.529b9ep-6f,  0x1.94624ep-7f,
       0x1.d4143ap-8f,  0x1.06918cp-8f,  0x1.1d8318p-9f,  0x1.2ce898p-10f, 0x1.3360ccp-11f, 0x1.30539p-12f,
       0x1.2408eap-13f, 0x1.0f9e1cp-14f, 0x1.e9b5e8p-16f, 0x1.abe09ep-17f, 0x1.6a5972p-18f, 0x1.296a7p-19f,
       0x1.d9371ep-21f, 0x1.6ce1aap-22f},
      {-0x1.f7ac92p-25f, 0x1.e869b6p-28f,  0x1.7bf206p-31f, -0x1.43ab3cp-27f, 0x1.269404p-27f,  -0x1.7d968cp-26f,
       0x1.af1a58p-26f,  -0x1.ef68dap-30f, 0x1.2df784p-27f, -0x1.a24376p-29f, -0x1.48d254p-29f, -0x1.dd527ap-30f,
       0x1.ae092ap-30f,  -0x1.d0d632p-30f, 0x1.91080ap-32f, -0x1.000c88p-30f, 0x1.19f344p-31f,  0x1.e383ecp-33f,
       0x1.3bfd2cp-33f,  -0x1.39553cp-33f, -0x1.e0812p-34f, 0x1.01248ap-35f,  0x1.a47b68p-36f,  -0x1.12204cp-38f,
       -0x1.17336p-39f,  -0x1.645924p-39f, 0x1.a019cep-41f, 0x1.22896cp-42f,  0x1.9a93dap-46f,  0x1.e8280ap-44f,
       0x1.7fbe1ap-48f,  0x1.febdeep-49f},
      {0x0p0f,           -0x1.1c62fap-3f,  -0x1.0f5d16p-2f,  -0x1.78749ap-2f,  -0x1.c1efcap-2f,  -0x1.e8a3c4p-2f,
       -0x1.edc564p-2f,  -0x1.d62becp-2f,  -0x1.a911fp-2f,   -0x1.6ea6dp-2f,   -0x1.2ebf3ep-2f,  -0x1.dfbbaep-3f,
       -0x1.6d5a96p-3f,  -0x1.0bcfcap-3f,  -0x1.7a4a8ap-4f,  -0x1.01a1c8p-4f,  -0x1.529b9ep-5f,  -0x1.ada874p-6f,
       -0x1.074b6p-6f,   -0x1.37ccd6p-7f,  -0x1.64e3dcp-8f,  -0x1.8af148p-9f,  -0x1.a6a51ap-10f, -0x1.b5781ep-11f,
       -0x1.b60d5ep-12f, -0x1.a8670ap-13f, -0x1.8de3cep-14f, -0x1.690586p-15f, -0x1.3d0e44p-16f, -0x1.0d8876p-17f,
       -0x1.bba3acp-19f, -0x1.617a9cp-20f},
      {-0x1.81273ep-2f, -0x1.6f5526p-2f, -0x1.3c974p-2f,  -0x1.e106c2p-3f, -0x1.2bf534p-3f, -0x1.c81074p-5f,
       0x1.b6e7fap-6f,  0x1.7c9d5ep-4f,  0x1.1b6142p-3f,  0x1.4cb3c8p-3f,  0x1.571dp-3f,    0x1.4374dap-3f,
       0x1.1c2a06p-3f,  0x1.d66326p-4f,  0x1.7148ccp-4f,  0x1.143d22p-4f,  0x1.8b0aecp-5f,  0x1.0ea47ap-5f,
       0x1.63ef66p-6f,  0x1.c1ec0ep-7f,  0x1.119d9cp-7f,  0x1.407fbp-8f,   0x1.69cf2cp-9f,  0x1.89e15p-10f,
       0x1.9db70cp-11f, 0x1.a37326p-12f, 0x1.9aa41ap-13f, 0x1.8451aap-14f, 0x1.62cc52p-15f, 0x1.394a7ap-16f,
       0x1.0b69dp-17f,  0x1.b95e52p-19f},
      {0x0p0f,           0x1.196c96p-4f,   0x1.040e84p-3f,   0x1.5529a4p-3f,   0x1.76f278p-3f,   0x1.6963c4p-3f,
       0x1.349b5ep-3f,   0x1.cc6058p-4f,   0x1.1b6152p-4f,   0x1.ca50a2p-6f,   -0x1.93a934p-8f,  -0x1.f3b8cp-6f,
       -0x1.6d5a9p-5f,   -0x1.974c02p-5f,  -0x1.8a0da8p-5f,  -0x1.5a3168p-5f,  -0x1.1a2c5ep-5f,  -0x1.afe55cp-6f,
       -0x1.38a988p-6f,  -0x1.ae5968p-7f,  -0x1.1a89bcp-7f,  -0x1.62d4c8p-8f,  -0x1.ab0c24p-9f,  -0x1.ed4abcp-10f,
       -0x1.11c85p-10f,  -0x1.24543cp-11f, -0x1.2c7d44p-12f, -0x1.298f6ap-13f, -0x1.1c0746p-14f, -0x1.0575d6p-15f,
       -0x1.d06ee4p-17f, -0x1.8e1f4ap-18f},
      {0x1.cda5aep-4f,  0x1.aa3f9ep-4f,  0x1.47931ap-4f,  0x1.7450d4p-5f,  0x1.e1a8dp-8f,   -0x1.c00798p-6f,
       -0x1.b36d7ap-5f, -0x1.12f1dp-4f,  -0x1.1b13bep-4f, -0x1.f5fabap-5f, -0x1.825ca4p-5f, -0x1.f58fb4p-6f,
       -0x1.e7e572p-7f, -0x1.1bc884p-9f, 0x1.b0324cp-8f,  0x1.76d15p-7f,   0x1.ac5cd8p-7f,  0x1.992718p-7f,
       0x1.5d1f92p-7f,  0x1.11dfe4p-7f,  0x1.91146ep-8f,  0x1.14a406p-8f,  0x1.699f64p-9f,  0x1.c1cc56p-10f,
       0x1.0afb56p-10f, 0x1.2f2d2cp-11f, 0x1.49e93ep-12f, 0x1.58819p-13f,  0x1.599d1ap-14f, 0x1.4d6ac2p-15f,
       0x1.358c8ep-16f, 0x1.14c2f4p-17f},
      {0x0p0f,           -0x1.72dbecp-6f, -0x1.4ba7fp-5f,   -0x1.9a062ap-5f,  -0x1.998a68p-5f,  -0x1.526df6p-5f,
       -0x1.b81852p-6f,  -0x1.5406c4p-7f, 0x1.2cbeb4p-8f,   0x1.fc259p-7f,    0x1.5c8b64p-6f,   0x1.6abfb8p-6f,
       0x1.3c7372p-6f,   0x1.d84046p-7f,  0x1.25d14ep-7f,   0x1.0d7eacp-8f,   0x1.e9b76cp-12f,  -0x1.dbb3cap-10f,
       -0x1.7c0a4ep-9f,  -0x1.97c9c8p-9f, -0x1.6ea2fep-9f,  -0x1.267982p-9f,  -0x1.b29274p-10f, -0x1.2b0982p-10f,
       -0x1.834a8p-11f,  -0x1.dadb4p-12f, -0x1.14bf6cp-12f, -0x1.339a7ep-13f, -0x1.46c8f6p-14f, -0x1.4c6aeep-15f,
       -0x1.44414cp-16f, -0x1.2fa82ap-17f}};
};

}  // namespace macaw::tosa::HWY_NAMESPACE::elementary
HWY_AFTER_NAMESPACE();
#endif

#endif
