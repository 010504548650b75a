#pragma once
#include <cstddef>
#include <cstdint>
#include <span>

namespace macaw::tosa {

/// A row of input elements and the weights they are multiplied by.
template <class In>
struct Tap {
  const In* in = nullptr;
  const std::int16_t* weight = nullptr;
};

/// sums[i] = sum over the taps of in[i] * weight[i], modulo 2^32.
void sum_taps(std::span<const Tap<std::int16_t>> taps, std::span<std::int32_t> sums);

/// The same in plain loops, for comparison.
void sum_taps_scalar(std::span<const Tap<std::int16_t>> taps, std::span<std::int32_t> sums);

/// Products of int16 by zero-point-corrected int8 that 32 bits can sum.
inline constexpr std::size_t kExactTaps = 256;

}  // namespace macaw::tosa
