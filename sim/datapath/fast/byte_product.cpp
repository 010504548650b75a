// Highway disables this target by default.
#ifndef HWY_WANT_AVX3_DL
#define HWY_WANT_AVX3_DL
#endif
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "sim/datapath/fast/byte_product.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "sim/datapath/fast/byte_product.hpp"

#include <algorithm>
#include <cstring>

#if HWY_TARGET == HWY_AVX3_DL
// Highway 1.0 checks that the processor has VNNI for this target, but does not enable it in the compiler.
HWY_PUSH_ATTRIBUTES(HWY_TARGET_STR ",avx512vnni")
#else
HWY_BEFORE_NAMESPACE();
#endif
namespace macaw::npu {
namespace HWY_NAMESPACE {

#if HWY_TARGET == HWY_AVX3_DL

bool exact_quads() { return true; }

/// P pixels and B blocks of channels at once, so that every vector of weights is used P times and every input B times
/// per load.
template <int P, int B>
HWY_INLINE void tile(const std::uint8_t* const* pixels, std::span<const std::ptrdiff_t> run_offsets, int quads,
                     const std::int8_t* HWY_RESTRICT weights, std::ptrdiff_t block_stride,
                     const std::int32_t* HWY_RESTRICT start, std::int32_t* out, std::ptrdiff_t out_stride) {
  __m512i sum[P][B];
  for (int p = 0; p < P; ++p)
    for (int b = 0; b < B; ++b) sum[p][b] = _mm512_loadu_si512(start + b * kGemmChannels);
  for (const std::ptrdiff_t offset : run_offsets) {
    const std::uint8_t* in[P];
    for (int p = 0; p < P; ++p) in[p] = pixels[p] + offset;
    for (int k = 0; k < quads; ++k, weights += 4 * kGemmChannels) {
      __m512i weight[B];
      for (int b = 0; b < B; ++b) weight[b] = _mm512_loadu_si512(weights + b * block_stride);
      for (int p = 0; p < P; ++p) {
        std::int32_t four;
        std::memcpy(&four, in[p] + 4 * k, sizeof four);
        const auto value = _mm512_set1_epi32(four);
        for (int b = 0; b < B; ++b) sum[p][b] = _mm512_dpbusd_epi32(sum[p][b], value, weight[b]);
      }
    }
  }
  for (int p = 0; p < P; ++p)
    for (int b = 0; b < B; ++b) _mm512_storeu_si512(out + p * out_stride + b * kGemmChannels, sum[p][b]);
}

template <int B>
void blocks(std::span<const std::uint8_t* const> pixels, std::span<const std::ptrdiff_t> run_offsets,
            const ByteWeights& weights, int block, const std::int32_t* start, std::int32_t* out) {
  const std::ptrdiff_t block_stride = std::ptrdiff_t{weights.runs} * weights.quads * 4 * kGemmChannels;
  const std::ptrdiff_t out_stride = std::ptrdiff_t{weights.blocks} * kGemmChannels;
  const std::int8_t* values = weights.values.data() + block * block_stride;
  start += std::ptrdiff_t{block} * kGemmChannels;
  out += std::ptrdiff_t{block} * kGemmChannels;
  std::size_t p = 0;
  const auto advance = [&](std::size_t count) HWY_ATTR {
    p += count;
    out += static_cast<std::ptrdiff_t>(count) * out_stride;
  };
  const int quads = weights.quads;
  for (; p + 8 <= pixels.size(); advance(8))
    tile<8, B>(&pixels[p], run_offsets, quads, values, block_stride, start, out, out_stride);
  for (; p + 4 <= pixels.size(); advance(4))
    tile<4, B>(&pixels[p], run_offsets, quads, values, block_stride, start, out, out_stride);
  for (; p < pixels.size(); advance(1))
    tile<1, B>(&pixels[p], run_offsets, quads, values, block_stride, start, out, out_stride);
}

void product(std::span<const std::uint8_t* const> pixels, std::span<const std::ptrdiff_t> run_offsets,
             const ByteWeights& weights, std::span<const std::int32_t> start, std::int32_t* out) {
  int b = 0;
  for (; b + 2 <= weights.blocks; b += 2) blocks<2>(pixels, run_offsets, weights, b, start.data(), out);
  if (b < weights.blocks) blocks<1>(pixels, run_offsets, weights, b, start.data(), out);
}

#else

bool exact_quads() { return false; }

void product(std::span<const std::uint8_t* const> pixels, std::span<const std::ptrdiff_t> run_offsets,
             const ByteWeights& weights, std::span<const std::int32_t> start, std::int32_t* out) {
  byte_product_scalar(pixels, run_offsets, weights, start, out);
}

#endif

}  // namespace HWY_NAMESPACE
}  // namespace macaw::npu
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace macaw::npu {

HWY_EXPORT(exact_quads);
HWY_EXPORT(product);

bool has_byte_product() { return HWY_DYNAMIC_DISPATCH(exact_quads)(); }

void byte_product(std::span<const std::uint8_t* const> pixels, std::span<const std::ptrdiff_t> run_offsets,
                  const ByteWeights& weights, std::span<const std::int32_t> start, std::int32_t* out) {
  HWY_DYNAMIC_DISPATCH(product)(pixels, run_offsets, weights, start, out);
}

void byte_product_scalar(std::span<const std::uint8_t* const> pixels, std::span<const std::ptrdiff_t> run_offsets,
                         const ByteWeights& weights, std::span<const std::int32_t> start, std::int32_t* out) {
  const auto channels = static_cast<std::size_t>(weights.blocks) * kGemmChannels;
  for (const std::uint8_t* pixel : pixels) {
    for (std::size_t c = 0; c < channels; ++c) {
      const std::int8_t* w = weights.values.data() + c / kGemmChannels * static_cast<std::size_t>(weights.runs) *
                                                         static_cast<std::size_t>(weights.quads) * 4 * kGemmChannels;
      auto sum = static_cast<std::uint32_t>(start[c]);
      for (const std::ptrdiff_t offset : run_offsets)
        for (int k = 0; k < 4 * weights.quads; ++k, w += k % 4 == 0 ? 4 * kGemmChannels : 0)
          sum += static_cast<std::uint32_t>(pixel[offset + k] * w[4 * (c % kGemmChannels) + k % 4]);
      *out++ = static_cast<std::int32_t>(sum);
    }
  }
}

ByteWeights pack_byte_weights(std::span<const std::int16_t> ohwi, int channels, int runs, int taps_per_run, int depth,
                              int padded_depth) {
  ByteWeights packed;
  packed.runs = runs;
  packed.quads = taps_per_run * padded_depth / 4;
  packed.blocks = (channels + kGemmChannels - 1) / kGemmChannels;
  const auto run_size = static_cast<std::size_t>(packed.quads) * 4 * kGemmChannels;
  packed.values.resize(static_cast<std::size_t>(packed.blocks) * static_cast<std::size_t>(runs) * run_size);
  packed.sums.resize(static_cast<std::size_t>(packed.blocks) * kGemmChannels);
  const std::ptrdiff_t row = std::ptrdiff_t{runs} * taps_per_run * depth;  // weights of a channel
  for (int first = 0; first < channels; first += kGemmChannels) {
    const int count = std::min(kGemmChannels, channels - first);
    for (int r = 0; r < runs; ++r) {
      std::int8_t* const run =
          packed.values.data() + (static_cast<std::size_t>(first / kGemmChannels) * static_cast<std::size_t>(runs) +
                                  static_cast<std::size_t>(r)) *
                                     run_size;
      for (int t = 0; t < taps_per_run; ++t) {
        const std::int16_t* source = ohwi.data() + first * row + (std::ptrdiff_t{r} * taps_per_run + t) * depth;
        // Four weights of each channel in turn, in the order of memory.
        for (int i = 0; i < depth; i += 4) {
          const int k = t * padded_depth + i, quad = std::min(4, depth - i);
          std::int8_t* target = run + std::ptrdiff_t{k} * kGemmChannels;
          for (int c = 0; c < count; ++c, target += 4)
            for (int j = 0; j < quad; ++j) {
              const std::int16_t weight = source[c * row + i + j];
              target[j] = static_cast<std::int8_t>(weight);
              packed.sums[static_cast<std::size_t>(first + c)] += weight;
            }
        }
      }
    }
  }
  return packed;
}

}  // namespace macaw::npu
#endif
