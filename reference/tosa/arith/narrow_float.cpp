#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "reference/tosa/arith/narrow_float.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include <bit>

#include "reference/tosa/arith/float_format.hpp"
#include "reference/tosa/arith/narrow_float.hpp"

// Plain loops without branches, compiled for each target so that the compiler can use its vectors. Each operation is
// exact or rounds according to IEEE 754, so that results are the same bits on every target.

HWY_BEFORE_NAMESPACE();
namespace macaw::tosa::HWY_NAMESPACE {

constexpr int kFloatMantissaBits = 23, kFloatBias = 127;
constexpr std::uint32_t kFloatInfinity = 0x7F800000, kFloatNan = 0x7FC00000;

/// The last mantissa bit of a format, as a bit of a float.
template <FloatFormat kF>
constexpr int kDropped = kFloatMantissaBits - kF.mantissa_bits;
/// Bits of 2^power as a float.
constexpr std::uint32_t power_of_two(int power) {
  return static_cast<std::uint32_t>(power + kFloatBias) << kFloatMantissaBits;
}

template <FloatFormat kF>
HWY_INLINE float value_of(std::uint32_t bits) {
  if constexpr (kF.bias() == kFloatBias) {
    return std::bit_cast<float>(bits << kDropped<kF>);
  } else {
    constexpr float kLeast = std::bit_cast<float>(power_of_two(1 - kF.bias() - kF.mantissa_bits));
    const std::uint32_t magnitude = bits & kF.all_ones(), sign = (bits & kF.sign())
                                                                 << (31 - std::bit_width(kF.all_ones()));
    const auto normal = (magnitude << kDropped<kF>)+power_of_two(-kF.bias());
    const auto subnormal =
        std::bit_cast<std::uint32_t>(static_cast<float>(static_cast<std::int32_t>(magnitude)) * kLeast);
    const auto number = magnitude >> kF.mantissa_bits ? normal : subnormal;
    constexpr bool kHasInfinity = kF.specials == FloatFormat::Specials::kIeee;
    const auto special = kHasInfinity && magnitude == kF.infinity() ? kFloatInfinity : kFloatNan;
    return std::bit_cast<float>((magnitude > kF.greatest() ? special : number) | sign);
  }
}

template <FloatFormat kF>
HWY_INLINE std::uint32_t bits_of(float value) {
  using Specials = FloatFormat::Specials;
  constexpr int kLeastPower = 1 - kF.bias();
  constexpr std::uint32_t kLeastNormal = power_of_two(kLeastPower), kHalf = 1u << (kDropped<kF> - 1);
  // The result for numbers beyond the greatest, and a float that rounds to it.
  constexpr std::uint32_t kBeyond = kF.specials == Specials::kFinite ? kF.greatest() : kF.greatest() + 1;
  constexpr std::uint32_t kLimit = (kBeyond << kDropped<kF>)+power_of_two(-kF.bias());
  const auto bits = std::bit_cast<std::uint32_t>(value);
  const std::uint32_t whole = bits & 0x7FFFFFFF, sign = (bits >> 31) * kF.sign();
  const auto magnitude = whole < kLimit ? whole : kLimit;
  // To nearest even: half the last bit kept less one, and one if that is odd. A carry moves into the exponent.
  const auto odd = (magnitude >> kDropped<kF>)&1;
  auto number = (magnitude + kHalf - 1 + odd - power_of_two(-kF.bias())) >> kDropped<kF>;
  if constexpr (kF.bias() != kFloatBias) {
    // The last bit of a number of this size is the format's least one: the sum rounds there.
    constexpr std::uint32_t kRaise = power_of_two(kLeastPower - kF.mantissa_bits + kFloatMantissaBits);
    const auto raised = std::bit_cast<float>(magnitude) + std::bit_cast<float>(kRaise);
    number = magnitude < kLeastNormal ? std::bit_cast<std::uint32_t>(raised) - kRaise : number;
  }
  // A format without infinity but with NaN has none of a sign.
  if constexpr (kF.specials == Specials::kNanOnly) return number == kF.nan() ? number : number | sign;
  else return whole > kFloatInfinity ? (kF.specials == Specials::kFinite ? 0 : kF.nan()) : number | sign;
}

template <DType D>
void decode_type(const std::byte* bytes, std::size_t size, float* HWY_RESTRICT values) {
  const auto* HWY_RESTRICT in = reinterpret_cast<const Storage<D>*>(bytes);
  for (std::size_t i = 0; i < size; ++i)
    if constexpr (D == DType::kMXINT8) values[i] = static_cast<float>(in[i]) * (1.0f / 64);
    else values[i] = value_of<kFormat<D>>(in[i]);
}

HWY_INLINE std::int8_t mxint8_of(float value) {
  const float number = value == value ? value * 64 : 0.0f, raised = number < -128 ? -128 : number;
  const float scaled = raised > 127 ? 127 : raised;
  // The sum rounds to an integer, which is in its low bits.
  return static_cast<std::int8_t>(std::bit_cast<std::uint32_t>(scaled + 0x1.8p23f));
}

template <DType D>
void encode_type(const float* HWY_RESTRICT values, std::size_t size, std::byte* bytes) {
  auto* HWY_RESTRICT out = reinterpret_cast<Storage<D>*>(bytes);
  for (std::size_t i = 0; i < size; ++i)
    if constexpr (D == DType::kMXINT8) out[i] = mxint8_of(values[i]);
    else out[i] = static_cast<Storage<D>>(bits_of<kFormat<D>>(values[i]));
}

#if HWY_TARGET <= HWY_AVX2 && HWY_ARCH_X86
// These targets have instructions for FP16, whose exponents hold those of FP8.
namespace hn = hwy::HWY_NAMESPACE;
using Floats = hn::ScalableTag<float>;
using Halves = hn::Rebind<hwy::float16_t, Floats>;
using HalfBits = hn::Rebind<std::uint16_t, Floats>;

/// FP8 bits as those of FP16, of the same value for FP8E5M2; that of FP8E4M3 loses the difference of the biases.
template <FloatFormat kF>
HWY_INLINE auto half_bits(const std::uint8_t* bits) {
  const HalfBits d;
  const auto raised = hn::ShiftLeft<8>(hn::PromoteTo(d, hn::LoadU(hn::Rebind<std::uint8_t, Floats>(), bits)));
  if constexpr (kF.exponent_bits == kFp16.exponent_bits) return raised;
  const auto sign = hn::And(raised, hn::Set(d, 0x8000));
  return hn::Or(sign, hn::ShiftRight<kFp16.exponent_bits - kF.exponent_bits>(hn::Xor(raised, sign)));
}

template <FloatFormat kF>
void decode_vectors(const std::uint8_t* bits, std::size_t size, float* HWY_RESTRICT values) {
  const Floats d;
  constexpr float kScale = 1 << (kFp16.bias() - kF.bias());
  const auto scale = hn::Set(d, kScale), nan = hn::Set(d, std::bit_cast<float>(kFloatNan));
  const auto all_ones = hn::Set(d, kScale * decode(kFp16, kF.all_ones() << (kFp16.mantissa_bits - kF.mantissa_bits)));
  std::size_t i = 0;
  for (; i + hn::Lanes(d) <= size; i += hn::Lanes(d)) {
    auto value = hn::PromoteTo(d, hn::BitCast(Halves(), half_bits<kF>(bits + i)));
    if constexpr (kF.specials == FloatFormat::Specials::kNanOnly) {
      value = hn::Mul(value, scale);
      value = hn::IfThenElse(hn::Eq(hn::Abs(value), all_ones), nan, value);
    }
    hn::StoreU(value, d, values + i);
  }
  for (; i < size; ++i) values[i] = value_of<kF>(bits[i]);
}
template <>
void decode_type<DType::kFP8E4M3>(const std::byte* bytes, std::size_t size, float* HWY_RESTRICT values) {
  decode_vectors<kFp8E4M3>(reinterpret_cast<const std::uint8_t*>(bytes), size, values);
}
template <>
void decode_type<DType::kFP8E5M2>(const std::byte* bytes, std::size_t size, float* HWY_RESTRICT values) {
  decode_vectors<kFp8E5M2>(reinterpret_cast<const std::uint8_t*>(bytes), size, values);
}

template <>
void decode_type<DType::kFP16>(const std::byte* bytes, std::size_t size, float* HWY_RESTRICT values) {
  const Floats d;
  const Halves narrow;
  const auto* in = reinterpret_cast<const hwy::float16_t*>(bytes);
  std::size_t i = 0;
  for (; i + hn::Lanes(d) <= size; i += hn::Lanes(d))
    hn::StoreU(hn::PromoteTo(d, hn::LoadU(narrow, in + i)), d, values + i);
  for (; i < size; ++i) values[i] = value_of<kFp16>(reinterpret_cast<const std::uint16_t*>(bytes)[i]);
}
template <>
void encode_type<DType::kFP16>(const float* HWY_RESTRICT values, std::size_t size, std::byte* bytes) {
  const Floats d;
  const Halves narrow;
  const auto nan = hn::Set(d, std::bit_cast<float>(kFloatNan));
  auto* out = reinterpret_cast<hwy::float16_t*>(bytes);
  std::size_t i = 0;
  for (; i + hn::Lanes(d) <= size; i += hn::Lanes(d)) {
    const auto value = hn::LoadU(d, values + i);
    hn::StoreU(hn::DemoteTo(narrow, hn::IfThenElse(hn::Eq(value, value), value, nan)), narrow, out + i);
  }
  for (; i < size; ++i)
    reinterpret_cast<std::uint16_t*>(bytes)[i] = static_cast<std::uint16_t>(bits_of<kFp16>(values[i]));
}
#endif

void decode_any(DType dtype, const std::byte* bytes, std::size_t size, float* values) {
  switch (dtype) {
    case DType::kFP16: return decode_type<DType::kFP16>(bytes, size, values);
    case DType::kBF16: return decode_type<DType::kBF16>(bytes, size, values);
    case DType::kFP8E4M3: return decode_type<DType::kFP8E4M3>(bytes, size, values);
    case DType::kFP8E5M2: return decode_type<DType::kFP8E5M2>(bytes, size, values);
    case DType::kFP6E2M3: return decode_type<DType::kFP6E2M3>(bytes, size, values);
    case DType::kFP6E3M2: return decode_type<DType::kFP6E3M2>(bytes, size, values);
    case DType::kFP4E2M1: return decode_type<DType::kFP4E2M1>(bytes, size, values);
    case DType::kMXINT8: return decode_type<DType::kMXINT8>(bytes, size, values);
    default: return;  // not a type of the callers'
  }
}
void encode_any(DType dtype, const float* values, std::size_t size, std::byte* bytes) {
  switch (dtype) {
    case DType::kFP16: return encode_type<DType::kFP16>(values, size, bytes);
    case DType::kBF16: return encode_type<DType::kBF16>(values, size, bytes);
    case DType::kFP8E4M3: return encode_type<DType::kFP8E4M3>(values, size, bytes);
    case DType::kFP8E5M2: return encode_type<DType::kFP8E5M2>(values, size, bytes);
    case DType::kFP6E2M3: return encode_type<DType::kFP6E2M3>(values, size, bytes);
    case DType::kFP6E3M2: return encode_type<DType::kFP6E3M2>(values, size, bytes);
    case DType::kFP4E2M1: return encode_type<DType::kFP4E2M1>(values, size, bytes);
    case DType::kMXINT8: return encode_type<DType::kMXINT8>(values, size, bytes);
    default: return;  // not a type of the callers'
  }
}

}  // namespace macaw::tosa::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace macaw::tosa {
namespace {
HWY_EXPORT(decode_any);
HWY_EXPORT(encode_any);
}  // namespace

void decode_narrow(DType dtype, const std::byte* bytes, std::size_t size, float* values) {
  HWY_DYNAMIC_DISPATCH(decode_any)(dtype, bytes, size, values);
}
void encode_narrow(DType dtype, const float* values, std::size_t size, std::byte* bytes) {
  HWY_DYNAMIC_DISPATCH(encode_any)(dtype, values, size, bytes);
}

}  // namespace macaw::tosa
#endif  // HWY_ONCE
