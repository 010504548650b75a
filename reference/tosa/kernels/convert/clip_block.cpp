#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "reference/tosa/kernels/convert/clip_block.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "reference/tosa/kernels/convert/clip_block.hpp"

HWY_BEFORE_NAMESPACE();
namespace macaw::tosa::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;
using D32 = hn::ScalableTag<std::int32_t>;

#if HWY_ARCH_X86 && HWY_TARGET <= HWY_SSSE3
using D16 = hn::RepartitionToNarrow<D32>;

// Highway 1.0 has no name for packing two vectors of 16-bit numbers.
#if HWY_TARGET <= HWY_AVX3
#define MACAW_PACK(name) _mm512_##name
#elif HWY_TARGET <= HWY_AVX2
#define MACAW_PACK(name) _mm256_##name
#else
#define MACAW_PACK(name) _mm_##name
#endif
// Saturates the numbers of two vectors, within blocks of 16 bytes.
template <class Out, class D8 = hn::Repartition<Out, D32>>
HWY_INLINE hn::Vec<D8> pack(hn::Vec<D16> a, hn::Vec<D16> b) {
  if constexpr (std::is_signed_v<Out>) return hn::Vec<D8>{MACAW_PACK(packs_epi16)(a.raw, b.raw)};
  else return hn::Vec<D8>{MACAW_PACK(packus_epi16)(a.raw, b.raw)};
}
#undef MACAW_PACK

// Clips vectors of bytes; returns how many bytes.
template <class Out>
HWY_INLINE std::size_t clip_bytes(const std::int32_t* values, std::int32_t zero_point, Out* out, std::size_t size) {
  const D32 d32;
  const D16 d16;
  const auto lanes = hn::Lanes(d32), blocks = lanes / 4;
  // Packing leaves the parts of four elements in the order of the blocks, then of the vectors.
  HWY_ALIGN std::int32_t order[HWY_MAX_BYTES / 4];
  for (std::size_t i = 0; i < lanes; ++i) order[i] = static_cast<std::int32_t>(i % blocks * 4 + i / blocks);
  const auto in_order = hn::SetTableIndices(d32, order);
  const auto added = hn::Set(d32, zero_point);
  const auto load = [&](std::size_t i) HWY_ATTR { return hn::Add(hn::LoadU(d32, values + i), added); };
  std::size_t i = 0;
  for (; i + 4 * lanes <= size; i += 4 * lanes) {
    const auto low = hn::ReorderDemote2To(d16, load(i), load(i + lanes));
    const auto high = hn::ReorderDemote2To(d16, load(i + 2 * lanes), load(i + 3 * lanes));
    const auto parts = hn::BitCast(d32, pack<Out>(low, high));
    hn::StoreU(hn::TableLookupLanes(parts, in_order), d32, reinterpret_cast<std::int32_t*>(out + i));
  }
  return i;
}
#else
template <class Out>
std::size_t clip_bytes(const std::int32_t*, std::int32_t, Out*, std::size_t) {
  return 0;
}
#endif

template <class Out>
HWY_INLINE void clip(const std::int32_t* values, const OutputClip& how, Out* out, std::size_t size) {
  const D32 d32;
  const hn::Rebind<Out, D32> d_out;
  [[maybe_unused]] const hn::Rebind<std::int16_t, D32> d16;
  const auto zero_point = hn::Set(d32, how.zero_point());
  const auto lanes = hn::Lanes(d32);
  std::size_t i = 0;
  if constexpr (sizeof(Out) == 1) i = clip_bytes(values, how.zero_point(), out, size);
  for (; i + lanes <= size; i += lanes) {
    const auto sum = hn::Add(hn::LoadU(d32, values + i), zero_point);
    // By way of signed numbers of 16 bits: Highway 1.0 makes 0 of 32768 as an unsigned byte.
    if constexpr (sizeof(Out) == 1) hn::StoreU(hn::DemoteTo(d_out, hn::DemoteTo(d16, sum)), d_out, out + i);
    else hn::StoreU(hn::DemoteTo(d_out, sum), d_out, out + i);
  }
  clip_block_scalar(values + i, how, out + i, size - i);
}

void clip_int8(const std::int32_t* values, const OutputClip& how, std::int8_t* out, std::size_t size) {
  clip(values, how, out, size);
}
void clip_uint8(const std::int32_t* values, const OutputClip& how, std::uint8_t* out, std::size_t size) {
  clip(values, how, out, size);
}
void clip_int16(const std::int32_t* values, const OutputClip& how, std::int16_t* out, std::size_t size) {
  clip(values, how, out, size);
}
void clip_uint16(const std::int32_t* values, const OutputClip& how, std::uint16_t* out, std::size_t size) {
  clip(values, how, out, size);
}

}  // namespace macaw::tosa::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace macaw::tosa {
namespace {
HWY_EXPORT(clip_int8);
HWY_EXPORT(clip_uint8);
HWY_EXPORT(clip_int16);
HWY_EXPORT(clip_uint16);
}  // namespace

void clip_block(const std::int32_t* values, const OutputClip& clip, std::int8_t* out, std::size_t size) {
  HWY_DYNAMIC_DISPATCH(clip_int8)(values, clip, out, size);
}
void clip_block(const std::int32_t* values, const OutputClip& clip, std::uint8_t* out, std::size_t size) {
  HWY_DYNAMIC_DISPATCH(clip_uint8)(values, clip, out, size);
}
void clip_block(const std::int32_t* values, const OutputClip& clip, std::int16_t* out, std::size_t size) {
  HWY_DYNAMIC_DISPATCH(clip_int16)(values, clip, out, size);
}
void clip_block(const std::int32_t* values, const OutputClip& clip, std::uint16_t* out, std::size_t size) {
  HWY_DYNAMIC_DISPATCH(clip_uint16)(values, clip, out, size);
}

}  // namespace macaw::tosa
#endif  // HWY_ONCE
