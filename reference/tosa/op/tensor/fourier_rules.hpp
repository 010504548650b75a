#pragma once
#include "reference/tosa/op/declare.hpp"

#include <bit>

// Rules that FFT2D and RFFT2D share.

namespace macaw::tosa {

template <class V>
inline constexpr Check kFourierLevel =
    level("input_real", "height and width must not exceed the level's MAX_KERNEL",
          [](const V& v) { return v.dim("H") <= v.level.max_kernel && v.dim("W") <= v.level.max_kernel; });
template <class V>
inline constexpr Check kPowerOfTwoHeight = error_if("input_real", "the height must be a power of two", [](const V& v) {
  return !std::has_single_bit(static_cast<std::uint64_t>(v.dim("H")));
});
template <class V>
inline constexpr Check kPowerOfTwoWidth = error_if("input_real", "the width must be a power of two", [](const V& v) {
  return !std::has_single_bit(static_cast<std::uint64_t>(v.dim("W")));
});

}  // namespace macaw::tosa
