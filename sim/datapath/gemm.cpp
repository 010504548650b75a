#include "sim/datapath/gemm.hpp"

#include <cstring>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "sim/datapath/gemm.cpp"
#include <hwy/foreach_target.h>
// foreach_target must come first.
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace macaw::npu {
namespace HWY_NAMESPACE {

#if HWY_TARGET == HWY_SCALAR || HWY_HAVE_SCALABLE

void block(const std::int16_t* input, std::ptrdiff_t pixel_step, int pixels,
           std::span<const std::ptrdiff_t> run_offsets, int pairs, const std::int16_t* weights,
           std::ptrdiff_t run_stride, std::int32_t* out, std::ptrdiff_t out_stride) {
  gemm_block_scalar(input, pixel_step, pixels, run_offsets, pairs, weights, run_stride, out, out_stride);
}

#else

namespace hn = hwy::HWY_NAMESPACE;

/// P pixels at once, so that every weight vector is used P times per load.
template <int P>
HWY_INLINE void tile(const std::int16_t* HWY_RESTRICT input, std::ptrdiff_t pixel_step,
                     std::span<const std::ptrdiff_t> run_offsets, int pairs, const std::int16_t* HWY_RESTRICT weights,
                     std::ptrdiff_t run_stride, std::int32_t* out, std::ptrdiff_t out_stride) {
  const hn::CappedTag<std::int32_t, kGemmChannels> d32;
  const hn::Repartition<std::int16_t, decltype(d32)> d16;
  using Sum = hn::Vec<decltype(d32)>;
  constexpr int lanes = static_cast<int>(hn::MaxLanes(d32));
  constexpr int vectors = kGemmChannels / lanes;
  Sum sum[P][vectors], odd[P][vectors];
  for (int p = 0; p < P; ++p)
    for (int v = 0; v < vectors; ++v) sum[p][v] = odd[p][v] = hn::Zero(d32);
  for (std::size_t r = 0; r < run_offsets.size(); ++r) {
    const std::int16_t* in = input + run_offsets[r];
    const std::int16_t* w = weights + static_cast<std::ptrdiff_t>(r) * run_stride;
    for (int k = 0; k < pairs; ++k, in += 2, w += 2 * kGemmChannels) {
      hn::Vec<decltype(d16)> weight[vectors];
      for (int v = 0; v < vectors; ++v) weight[v] = hn::LoadU(d16, w + v * 2 * lanes);
      for (int p = 0; p < P; ++p) {
        std::int32_t pair;
        std::memcpy(&pair, in + p * pixel_step, sizeof(pair));
        const auto value = hn::BitCast(d16, hn::Set(d32, pair));
        for (int v = 0; v < vectors; ++v)
          sum[p][v] = hn::ReorderWidenMulAccumulate(d32, value, weight[v], sum[p][v], odd[p][v]);
      }
    }
  }
  for (int p = 0; p < P; ++p)
    for (int v = 0; v < vectors; ++v)
      hn::StoreU(hn::RearrangeToOddPlusEven(sum[p][v], odd[p][v]), d32, out + p * out_stride + v * lanes);
}

/// P pixels at once as long as at least P are left, then the rest at once.
template <int P>
HWY_INLINE void tiles(const std::int16_t* input, std::ptrdiff_t pixel_step, int pixels,
                      std::span<const std::ptrdiff_t> run_offsets, int pairs, const std::int16_t* weights,
                      std::ptrdiff_t run_stride, std::int32_t* out, std::ptrdiff_t out_stride) {
  for (; pixels >= P; pixels -= P, input += P * pixel_step, out += P * out_stride)
    tile<P>(input, pixel_step, run_offsets, pairs, weights, run_stride, out, out_stride);
  if constexpr (P > 1)
    if (pixels > 0) tiles<P - 1>(input, pixel_step, pixels, run_offsets, pairs, weights, run_stride, out, out_stride);
}

void block(const std::int16_t* input, std::ptrdiff_t pixel_step, int pixels,
           std::span<const std::ptrdiff_t> run_offsets, int pairs, const std::int16_t* weights,
           std::ptrdiff_t run_stride, std::int32_t* out, std::ptrdiff_t out_stride) {
  const hn::CappedTag<std::int32_t, kGemmChannels> d32;
  constexpr int vectors = kGemmChannels / static_cast<int>(hn::MaxLanes(d32));
  // As many sums as leave room for their operands in 16 registers.
  constexpr int most = vectors >= 4 ? 2 : vectors == 2 ? 6 : 8;
  tiles<most>(input, pixel_step, pixels, run_offsets, pairs, weights, run_stride, out, out_stride);
}

#endif

}  // namespace HWY_NAMESPACE
}  // namespace macaw::npu
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace macaw::npu {

HWY_EXPORT(block);

void gemm_block(const std::int16_t* input, std::ptrdiff_t pixel_step, int pixels,
                std::span<const std::ptrdiff_t> run_offsets, int pairs, const std::int16_t* weights,
                std::ptrdiff_t run_stride, std::int32_t* out, std::ptrdiff_t out_stride) {
  HWY_DYNAMIC_DISPATCH(block)(input, pixel_step, pixels, run_offsets, pairs, weights, run_stride, out, out_stride);
}

void gemm_block_scalar(const std::int16_t* input, std::ptrdiff_t pixel_step, int pixels,
                       std::span<const std::ptrdiff_t> run_offsets, int pairs, const std::int16_t* weights,
                       std::ptrdiff_t run_stride, std::int32_t* out, std::ptrdiff_t out_stride) {
  for (int p = 0; p < pixels; ++p) {
    std::uint32_t sum[kGemmChannels] = {};
    for (std::size_t r = 0; r < run_offsets.size(); ++r) {
      const std::int16_t* in = input + p * pixel_step + run_offsets[r];
      const std::int16_t* w = weights + static_cast<std::ptrdiff_t>(r) * run_stride;
      for (int k = 0; k < 2 * pairs; ++k)
        for (int c = 0; c < kGemmChannels; ++c)
          sum[c] += static_cast<std::uint32_t>(in[k] * w[(k / 2) * 2 * kGemmChannels + 2 * c + k % 2]);
    }
    for (int c = 0; c < kGemmChannels; ++c) out[p * out_stride + c] = static_cast<std::int32_t>(sum[c]);
  }
}

GemmWeights pack_weights(std::span<const std::int16_t> ohwi, int channels, int runs, int taps_per_run, int depth,
                         int padded_depth) {
  GemmWeights packed;
  packed.runs = runs;
  packed.pairs = taps_per_run * padded_depth / 2;
  const int blocks = (channels + kGemmChannels - 1) / kGemmChannels;
  packed.values.resize(static_cast<std::size_t>(blocks) * static_cast<std::size_t>(runs) *
                       static_cast<std::size_t>(packed.pairs) * 2 * kGemmChannels);
  const bool padded = channels % kGemmChannels != 0 || depth != padded_depth;
  if (padded) std::ranges::fill(packed.values, std::int16_t{0});
  const std::int16_t* source = ohwi.data();
  for (int c = 0; c < channels; ++c) {
    for (int r = 0; r < runs; ++r) {
      std::int16_t* target =
          packed.values.data() + (packed.block(c / kGemmChannels, r) - packed.values.data()) + 2 * (c % kGemmChannels);
      for (int t = 0; t < taps_per_run; ++t) {
        std::int16_t* pair = target + std::ptrdiff_t{t} * padded_depth * kGemmChannels;
        for (int i = 0; i + 1 < depth; i += 2, source += 2, pair += 2 * kGemmChannels)
          std::memcpy(pair, source, 2 * sizeof(*source));
        if (depth % 2 != 0) *pair = *source++;
      }
    }
  }
  return packed;
}

}  // namespace macaw::npu
#endif
