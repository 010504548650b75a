#pragma once
#include "sim/datapath/gemm.hpp"

#include <cstdint>
#include <span>
#include <vector>

namespace macaw::npu {

/// Depthwise weights in kernel order: [tap][channel], channels rounded up to kGemmChannels with zeros.
struct TapWeights {
  int taps = 0, channels = 0;
  std::vector<std::int32_t> values;  ///< each weight in the low 16 bits, zeros above
  std::vector<std::int32_t> sums;    ///< of a channel's weights, modulo 2^32

  [[nodiscard]] const std::int32_t* tap(int index) const { return values.data() + std::ptrdiff_t{index} * channels; }
};

/// Weights [channels][taps].
[[nodiscard]] TapWeights pack_tap_weights(std::span<const std::int16_t> weights, int channels, int taps);

/// out[p][c] = start[c] + sum over the taps t of pixels[p][tap_offsets[t] + c] * weights[t][c], modulo 2^32, for
/// start.size() channels, a multiple of kGemmChannels. Input is uint8_t or int16_t.
template <class Input>
void depthwise_sums(std::span<const Input* const> pixels, std::span<const std::ptrdiff_t> tap_offsets,
                    const std::int32_t* weights, std::span<const std::int32_t> start, std::int32_t* out);

/// The same sums by a plain loop, on any processor.
template <class Input>
void depthwise_sums_scalar(std::span<const Input* const> pixels, std::span<const std::ptrdiff_t> tap_offsets,
                           const std::int32_t* weights, std::span<const std::int32_t> start, std::int32_t* out);

}  // namespace macaw::npu
