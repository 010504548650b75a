#pragma once
#include <cstddef>
#include <cstdint>
#include <span>

namespace macaw::tosa {

/// One output position of an int8 convolution of every channel with itself.
struct ByteTaps {
  std::span<const std::int8_t* const> in;  ///< `channels` elements each, an even number of taps
  /// For every pair of taps, channel by channel: the weights of both.
  const std::int16_t* weights = nullptr;
  std::int16_t zero_point = 0;         ///< of the input
  const std::int32_t* bias = nullptr;  ///< for every channel
  std::size_t channels = 0;
  const std::int32_t* offsets = nullptr;  ///< for every channel: minus zero_point times the sum of its weights
};

/// out[c] = bias[c] + sum over taps of (in[c] - zero_point) * weight[c], modulo 2^32. Returns false if adding the bias,
/// which is added last, overflowed.
[[nodiscard]] bool sum_byte_taps(const ByteTaps& taps, std::int32_t* out);
/// The same in plain loops, for comparison.
[[nodiscard]] bool sum_byte_taps_scalar(const ByteTaps& taps, std::int32_t* out);

}  // namespace macaw::tosa
