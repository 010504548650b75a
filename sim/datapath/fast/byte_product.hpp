#pragma once
#include "sim/datapath/gemm.hpp"

#include <cstdint>
#include <span>
#include <vector>

namespace macaw::npu {

/// Whether this processor has an exact instruction that multiplies and adds four bytes. Without it, bytes are widened
/// and processed by gemm_block().
[[nodiscard]] bool has_byte_product();

/// int8 weights in kernel order: [block of kGemmChannels][run][quad][channel][4]. A run is a sequence of inputs that
/// are contiguous in memory.
struct ByteWeights {
  int runs = 0, quads = 0, blocks = 0;
  std::vector<std::int8_t> values;
  std::vector<std::int32_t> sums;  ///< of a channel's weights; zero beyond the last channel
};

/// OHWI weights [channels][runs * taps_per_run][depth], all int8; each tap reads `padded_depth` inputs, a multiple of
/// 4.
[[nodiscard]] ByteWeights pack_byte_weights(std::span<const std::int16_t> ohwi, int channels, int runs,
                                            int taps_per_run, int depth, int padded_depth);

/// out[p][c] = start[c] + sum over the runs r and k < 4 * quads of pixels[p][run_offsets[r] + k] * weights[c][r][k],
/// modulo 2^32, for all channels of all blocks. `out` rows are `blocks * kGemmChannels` long.
void byte_product(std::span<const std::uint8_t* const> pixels, std::span<const std::ptrdiff_t> run_offsets,
                  const ByteWeights& weights, std::span<const std::int32_t> start, std::int32_t* out);

/// The same sums by a plain loop, on any processor.
void byte_product_scalar(std::span<const std::uint8_t* const> pixels, std::span<const std::ptrdiff_t> run_offsets,
                         const ByteWeights& weights, std::span<const std::int32_t> start, std::int32_t* out);

}  // namespace macaw::npu
