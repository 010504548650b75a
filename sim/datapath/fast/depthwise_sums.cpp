#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "sim/datapath/fast/depthwise_sums.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "sim/datapath/fast/depthwise_sums.hpp"

HWY_BEFORE_NAMESPACE();
namespace macaw::npu {
namespace HWY_NAMESPACE {

#if HWY_TARGET == HWY_SCALAR || HWY_HAVE_SCALABLE

template <class Input>
void sums(std::span<const Input* const> pixels, std::span<const std::ptrdiff_t> tap_offsets,
          const std::int32_t* weights, std::span<const std::int32_t> start, std::int32_t* out) {
  depthwise_sums_scalar(pixels, tap_offsets, weights, start, out);
}

#else

namespace hn = hwy::HWY_NAMESPACE;

/// P pixels at once, so that every vector of weights is used P times per load. Inputs and weights are pairs of 16 bits,
/// where the second weight is zero: the sum of their products is the single product.
template <int P, class Input>
HWY_INLINE void tile(const Input* const* pixels, std::span<const std::ptrdiff_t> tap_offsets,
                     const std::int32_t* HWY_RESTRICT weights, std::span<const std::int32_t> start, std::int32_t* out) {
  const hn::CappedTag<std::int32_t, kGemmChannels> d32;
  const hn::Repartition<std::int16_t, decltype(d32)> d16;
  const hn::Rebind<Input, decltype(d32)> d_in;
  constexpr std::ptrdiff_t lanes = hn::MaxLanes(d32);
  const auto channels = static_cast<std::ptrdiff_t>(start.size());
  for (std::ptrdiff_t c = 0; c < channels; c += lanes) {
    hn::Vec<decltype(d32)> sum[P], odd[P];
    for (int p = 0; p < P; ++p) sum[p] = odd[p] = hn::Zero(d32);
    const std::int32_t* w = weights + c;
    for (const std::ptrdiff_t offset : tap_offsets) {
      const auto weight = hn::BitCast(d16, hn::LoadU(d32, w));
      w += channels;
      for (int p = 0; p < P; ++p) {
        const auto value = hn::BitCast(d16, hn::PromoteTo(d32, hn::LoadU(d_in, pixels[p] + offset + c)));
        sum[p] = hn::ReorderWidenMulAccumulate(d32, value, weight, sum[p], odd[p]);
      }
    }
    const auto first = hn::LoadU(d32, start.data() + c);
    for (int p = 0; p < P; ++p)
      hn::StoreU(hn::Add(first, hn::RearrangeToOddPlusEven(sum[p], odd[p])), d32, out + p * channels + c);
  }
}

template <class Input>
void sums(std::span<const Input* const> pixels, std::span<const std::ptrdiff_t> tap_offsets,
          const std::int32_t* weights, std::span<const std::int32_t> start, std::int32_t* out) {
  std::size_t p = 0;
  for (; p + 4 <= pixels.size(); p += 4, out += 4 * start.size()) tile<4>(&pixels[p], tap_offsets, weights, start, out);
  for (; p < pixels.size(); ++p, out += start.size()) tile<1>(&pixels[p], tap_offsets, weights, start, out);
}

#endif

void byte_sums(std::span<const std::uint8_t* const> pixels, std::span<const std::ptrdiff_t> tap_offsets,
               const std::int32_t* weights, std::span<const std::int32_t> start, std::int32_t* out) {
  sums(pixels, tap_offsets, weights, start, out);
}
void word_sums(std::span<const std::int16_t* const> pixels, std::span<const std::ptrdiff_t> tap_offsets,
               const std::int32_t* weights, std::span<const std::int32_t> start, std::int32_t* out) {
  sums(pixels, tap_offsets, weights, start, out);
}

}  // namespace HWY_NAMESPACE
}  // namespace macaw::npu
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace macaw::npu {

HWY_EXPORT(byte_sums);
HWY_EXPORT(word_sums);

template <>
void depthwise_sums(std::span<const std::uint8_t* const> pixels, std::span<const std::ptrdiff_t> tap_offsets,
                    const std::int32_t* weights, std::span<const std::int32_t> start, std::int32_t* out) {
  HWY_DYNAMIC_DISPATCH(byte_sums)(pixels, tap_offsets, weights, start, out);
}
template <>
void depthwise_sums(std::span<const std::int16_t* const> pixels, std::span<const std::ptrdiff_t> tap_offsets,
                    const std::int32_t* weights, std::span<const std::int32_t> start, std::int32_t* out) {
  HWY_DYNAMIC_DISPATCH(word_sums)(pixels, tap_offsets, weights, start, out);
}

template <class Input>
void depthwise_sums_scalar(std::span<const Input* const> pixels, std::span<const std::ptrdiff_t> tap_offsets,
                           const std::int32_t* weights, std::span<const std::int32_t> start, std::int32_t* out) {
  const std::size_t channels = start.size();
  for (const Input* pixel : pixels)
    for (std::size_t c = 0; c < channels; ++c) {
      auto sum = static_cast<std::uint32_t>(start[c]);
      for (std::size_t t = 0; t < tap_offsets.size(); ++t)
        sum += static_cast<std::uint32_t>(pixel[tap_offsets[t] + static_cast<std::ptrdiff_t>(c)] *
                                          static_cast<std::int16_t>(weights[t * channels + c]));
      *out++ = static_cast<std::int32_t>(sum);
    }
}
template void depthwise_sums_scalar(std::span<const std::uint8_t* const>, std::span<const std::ptrdiff_t>,
                                    const std::int32_t*, std::span<const std::int32_t>, std::int32_t*);
template void depthwise_sums_scalar(std::span<const std::int16_t* const>, std::span<const std::ptrdiff_t>,
                                    const std::int32_t*, std::span<const std::int32_t>, std::int32_t*);

TapWeights pack_tap_weights(std::span<const std::int16_t> weights, int channels, int taps) {
  TapWeights packed;
  packed.taps = taps;
  packed.channels = (channels + kGemmChannels - 1) / kGemmChannels * kGemmChannels;
  packed.values.resize(static_cast<std::size_t>(taps) * static_cast<std::size_t>(packed.channels));
  packed.sums.resize(static_cast<std::size_t>(packed.channels));
  const std::int16_t* source = weights.data();
  for (int c = 0; c < channels; ++c) {
    std::uint32_t sum = 0;
    for (int t = 0; t < taps; ++t, ++source) {
      packed.values[static_cast<std::size_t>(std::ptrdiff_t{t} * packed.channels + c)] =
          static_cast<std::uint16_t>(*source);
      sum += static_cast<std::uint32_t>(*source);
    }
    packed.sums[static_cast<std::size_t>(c)] = static_cast<std::int32_t>(sum);
  }
  return packed;
}

}  // namespace macaw::npu
#endif
