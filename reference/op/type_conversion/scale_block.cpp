#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "reference/op/type_conversion/scale_block.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "reference/arith/scale.hpp"
#include "reference/op/type_conversion/scale_block.hpp"

HWY_BEFORE_NAMESPACE();
namespace macaw::tosa::HWY_NAMESPACE {

#if HWY_TARGET == HWY_SCALAR
// Vectors of one element have no even and odd halves.
bool scale_block_vector(const ScaleBlock& block) { return scale_block_scalar(block); }
#else
namespace hn = hwy::HWY_NAMESPACE;
using D32 = hn::ScalableTag<std::int32_t>;
using D64 = hn::RepartitionToWide<D32>;
using DU64 = hn::RebindToUnsigned<D64>;
using V32 = hn::Vec<D32>;
using V64 = hn::Vec<D64>;
using VU64 = hn::Vec<DU64>;

// The elements whose number is odd, in the place of those whose number is even.
HWY_INLINE V32 odd(V32 v) { return hn::BitCast(D32(), hn::ShiftRight<32>(hn::BitCast(DU64(), v))); }

// Scales the even elements of the operands. `first_round` is what the first of two roundings adds. Results are in the
// low half of each element; bits of `outside` are set for values out of range.
HWY_INLINE VU64 scale_even(V32 value, V32 multiplier, V32 shift, V32 first_round, VU64& outside) {
  const D64 d64;
  const DU64 du64;
  const auto one = hn::Set(D32(), 1);
  const auto bits = hn::And(hn::BitCast(du64, shift), hn::Set(du64, 0xFFFFFFFFu));
  const auto limit = hn::Shl(hn::Set(du64, 1), hn::Sub(bits, hn::Set(du64, 1)));
  outside = hn::Or(outside, hn::Shr(hn::Add(hn::BitCast(du64, hn::MulEven(value, one)), limit), bits));
  const auto sum =
      hn::Add(hn::Add(hn::MulEven(value, multiplier), hn::MulEven(first_round, one)), hn::BitCast(d64, limit));
  // An arithmetic shift, by way of an unsigned number 2^63 higher.
  const auto offset = hn::Set(du64, std::uint64_t{1} << 63);
  return hn::Sub(hn::Shr(hn::Xor(hn::BitCast(du64, sum), offset), bits), hn::Shr(offset, bits));
}

bool scale_block_vector(const ScaleBlock& block) {
  const D32 d32;
  const DU64 du64;
  const auto lanes = hn::Lanes(d32);
  const auto low_half = hn::Set(du64, 0xFFFFFFFFu);
  auto outside = hn::Zero(du64);
  std::size_t i = 0;
  for (; i + lanes <= block.size; i += lanes) {
    const auto value = hn::LoadU(d32, block.values + i);
    const auto multiplier = hn::LoadU(d32, block.multipliers + i);
    const auto shift = hn::LoadU(d32, block.shifts + i);
    auto first_round = hn::Zero(d32);
    if (block.double_round) {
      const auto sign = hn::ShiftRight<31>(value);
      const auto half = hn::Sub(hn::Xor(hn::Set(d32, 1 << 30), sign), sign);
      first_round = hn::IfThenElseZero(hn::Gt(shift, hn::Set(d32, 31)), half);
    }
    const auto even = scale_even(value, multiplier, shift, first_round, outside);
    const auto odds = scale_even(odd(value), odd(multiplier), odd(shift), odd(first_round), outside);
    const auto both = hn::Or(hn::And(even, low_half), hn::ShiftLeft<32>(odds));
    hn::StoreU(hn::BitCast(d32, both), d32, block.out + i);
  }
  const bool holds = hn::AllTrue(du64, hn::Eq(outside, hn::Zero(du64)));
  return scale_block_scalar({block.values + i, block.multipliers + i, block.shifts + i, block.out + i, block.size - i,
                             block.double_round}) &&
         holds;
}
#endif

// A plain loop, which the compiler makes vectors of for each target.
template <class Out>
HWY_INLINE bool clip(const std::int32_t* HWY_RESTRICT values, std::size_t size, OutputClip how, Out* HWY_RESTRICT out) {
  std::int32_t mark = 0;
  for (std::size_t i = 0; i < size; ++i) out[i] = static_cast<Out>(how.apply(values[i], mark));
  return mark >= 0;
}
bool clip_int8(const std::int32_t* values, std::size_t size, const OutputClip& how, std::int8_t* out) {
  return clip(values, size, how, out);
}
bool clip_uint8(const std::int32_t* values, std::size_t size, const OutputClip& how, std::uint8_t* out) {
  return clip(values, size, how, out);
}
bool clip_int16(const std::int32_t* values, std::size_t size, const OutputClip& how, std::int16_t* out) {
  return clip(values, size, how, out);
}
bool clip_uint16(const std::int32_t* values, std::size_t size, const OutputClip& how, std::uint16_t* out) {
  return clip(values, size, how, out);
}
bool clip_int32(const std::int32_t* values, std::size_t size, const OutputClip& how, std::int32_t* out) {
  return clip(values, size, how, out);
}

}  // namespace macaw::tosa::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace macaw::tosa {
namespace {
HWY_EXPORT(scale_block_vector);
HWY_EXPORT(clip_int8);
HWY_EXPORT(clip_uint8);
HWY_EXPORT(clip_int16);
HWY_EXPORT(clip_uint16);
HWY_EXPORT(clip_int32);
}  // namespace

bool scale_block(const ScaleBlock& block) { return HWY_DYNAMIC_DISPATCH(scale_block_vector)(block); }

bool clip_block(const std::int32_t* values, std::size_t size, const OutputClip& clip, std::int8_t* out) {
  return HWY_DYNAMIC_DISPATCH(clip_int8)(values, size, clip, out);
}
bool clip_block(const std::int32_t* values, std::size_t size, const OutputClip& clip, std::uint8_t* out) {
  return HWY_DYNAMIC_DISPATCH(clip_uint8)(values, size, clip, out);
}
bool clip_block(const std::int32_t* values, std::size_t size, const OutputClip& clip, std::int16_t* out) {
  return HWY_DYNAMIC_DISPATCH(clip_int16)(values, size, clip, out);
}
bool clip_block(const std::int32_t* values, std::size_t size, const OutputClip& clip, std::uint16_t* out) {
  return HWY_DYNAMIC_DISPATCH(clip_uint16)(values, size, clip, out);
}
bool clip_block(const std::int32_t* values, std::size_t size, const OutputClip& clip, std::int32_t* out) {
  return HWY_DYNAMIC_DISPATCH(clip_int32)(values, size, clip, out);
}

bool scale_block_scalar(const ScaleBlock& block) {
  bool holds = true;
  for (std::size_t i = 0; i < block.size; ++i)
    block.out[i] = apply_scale_32(block.values[i], {block.multipliers[i], static_cast<std::int8_t>(block.shifts[i])},
                                  block.double_round, holds);
  return holds;
}

}  // namespace macaw::tosa
#endif  // HWY_ONCE
