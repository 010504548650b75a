#pragma once
#include <cstddef>
#include <cstdint>
#include <span>

#include "sim/datapath/uncleared.hpp"

namespace macaw::npu {

/// Output channels that the kernel computes together.
inline constexpr int kGemmChannels = 16;

/// Pairs of products whose sum fits int32 for any int16 input and 9-bit weight: 128 * 2 * 32768 * 255 < 2^31.
inline constexpr int kGemmExactPairs = 128;

/// Weights in kernel order: [block of 16 output channels][run][pair][channel][2]. A run is a sequence of inputs that
/// are contiguous in memory.
struct GemmWeights {
  int runs = 0, pairs = 0;
  Uncleared<std::int16_t> values;

  [[nodiscard]] const std::int16_t* block(int index, int run) const {
    return values.data() + (std::ptrdiff_t{index} * runs + run) * pairs * 2 * kGemmChannels;
  }
};

/// OHWI weights [channels][runs * taps_per_run][depth]; each tap reads `padded_depth` (even) inputs.
[[nodiscard]] GemmWeights pack_weights(std::span<const std::int16_t> ohwi, int channels, int runs, int taps_per_run,
                                       int depth, int padded_depth);

/// out[p][0..16) = sum over the runs r and k < 2 * pairs of input[p * pixel_step + run_offsets[r] + k] * weights[r][k],
/// modulo 2^32. `out` rows are `out_stride` apart; consecutive runs of `weights` are `run_stride` elements apart.
void gemm_block(const std::int16_t* input, std::ptrdiff_t pixel_step, int pixels,
                std::span<const std::ptrdiff_t> run_offsets, int pairs, const std::int16_t* weights,
                std::ptrdiff_t run_stride, std::int32_t* out, std::ptrdiff_t out_stride);

/// The same sums by a plain loop, on any processor: the reference for tests of gemm_block().
void gemm_block_scalar(const std::int16_t* input, std::ptrdiff_t pixel_step, int pixels,
                       std::span<const std::ptrdiff_t> run_offsets, int pairs, const std::int16_t* weights,
                       std::ptrdiff_t run_stride, std::int32_t* out, std::ptrdiff_t out_stride);

}  // namespace macaw::npu
