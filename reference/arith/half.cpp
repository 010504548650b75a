#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "reference/arith/half.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include <bit>

#include "reference/arith/half.hpp"

// Plain loops without branches, compiled for each target so that the compiler can use its vectors. Each operation is exact or rounds
// as IEEE 754 says, so that every target gives the same bits.

HWY_BEFORE_NAMESPACE();
namespace macaw::tosa::HWY_NAMESPACE {

HWY_INLINE float fp16_value(std::uint16_t bits) {
  constexpr std::uint32_t kExponent = 0x7C00;
  const std::uint32_t magnitude = bits & 0x7FFFu, sign = (bits & 0x8000u) << 16;
  // The bias is 112 less; the product makes subnormal numbers normal.
  const auto number = std::bit_cast<std::uint32_t>(std::bit_cast<float>(magnitude << 13) * 0x1p112f) | sign;
  const auto infinity = 0x7F800000u | sign;
  const auto special = magnitude > kExponent ? 0x7FC00000u : infinity;
  return std::bit_cast<float>(magnitude >= kExponent ? special : number);
}

HWY_INLINE std::uint16_t fp16_bits(float value) {
  const auto bits = std::bit_cast<std::uint32_t>(value);
  const std::uint32_t magnitude = bits & 0x7FFFFFFFu, sign = (bits & 0x80000000u) >> 16;
  // To nearest even: half the last bit kept less one, and one if that is odd.
  const auto normal = (magnitude - (112u << 23) + 0xFFFu + ((magnitude >> 13) & 1u)) >> 13;
  // 0.5 has the least fp16 number in its last bit: the sum rounds there.
  const auto subnormal = std::bit_cast<std::uint32_t>(std::bit_cast<float>(magnitude) + 0.5f) - 0x3F000000u;
  const auto number = magnitude < (113u << 23) ? subnormal : normal;
  // 65520, half way beyond the greatest number, and above is infinity.
  const auto finite = magnitude < 0x477FF000u ? number : 0x7C00u;
  return static_cast<std::uint16_t>(magnitude > 0x7F800000u ? 0x7E00u : finite | sign);
}

HWY_INLINE std::uint16_t bf16_bits(float value) {
  const auto bits = std::bit_cast<std::uint32_t>(value);
  const auto rounded = (bits + 0x7FFFu + ((bits >> 16) & 1u)) >> 16;
  return static_cast<std::uint16_t>((bits & 0x7FFFFFFFu) > 0x7F800000u ? 0x7FC0u : rounded);
}

void fp16_values(const std::uint16_t* HWY_RESTRICT bits, std::size_t size, float* HWY_RESTRICT values) {
  for (std::size_t i = 0; i < size; ++i) values[i] = fp16_value(bits[i]);
}
void all_fp16_bits(const float* HWY_RESTRICT values, std::size_t size, std::uint16_t* HWY_RESTRICT bits) {
  for (std::size_t i = 0; i < size; ++i) bits[i] = fp16_bits(values[i]);
}
void all_bf16_bits(const float* HWY_RESTRICT values, std::size_t size, std::uint16_t* HWY_RESTRICT bits) {
  for (std::size_t i = 0; i < size; ++i) bits[i] = bf16_bits(values[i]);
}

}  // namespace macaw::tosa::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace macaw::tosa {
namespace {
HWY_EXPORT(fp16_values);
HWY_EXPORT(all_fp16_bits);
HWY_EXPORT(all_bf16_bits);
}  // namespace

void decode_fp16(const std::uint16_t* bits, std::size_t size, float* values) {
  HWY_DYNAMIC_DISPATCH(fp16_values)(bits, size, values);
}
void encode_fp16(const float* values, std::size_t size, std::uint16_t* bits) {
  HWY_DYNAMIC_DISPATCH(all_fp16_bits)(values, size, bits);
}
void encode_bf16(const float* values, std::size_t size, std::uint16_t* bits) {
  HWY_DYNAMIC_DISPATCH(all_bf16_bits)(values, size, bits);
}

}  // namespace macaw::tosa
#endif  // HWY_ONCE
