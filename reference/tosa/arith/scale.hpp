#pragma once
#include <bit>
#include <cstdint>
#include <limits>

namespace macaw::tosa {

/// Multiplier and shift of a rescale: value * multiplier / 2^shift.
struct Scale {
  std::int32_t multiplier = 0;
  std::int8_t shift = 0;
  friend bool operator==(const Scale&, const Scale&) = default;
};

/// REQUIREs of apply_scale_32 and apply_scale_16 that hold for every value or for none
/// (tosa-specification, pseudocode/library/scale_helpers.tosac).
[[nodiscard]] constexpr bool is_valid(Scale scale) {
  return scale.multiplier >= 0 && scale.shift >= 2 && scale.shift <= 62;
}

/// apply_scale_32 of the specification; `scale` must be valid. Clears `holds` if the value is outside the range that
/// the shift allows, and then returns the low bits.
[[nodiscard]] constexpr std::int32_t apply_scale_32(std::int32_t value, Scale scale, bool double_round, bool& holds) {
  const int shift = scale.shift;
  const auto limit = std::int64_t{1} << (shift - 1);
  holds &= value >= -limit && value < limit;
  auto round = limit;
  if (double_round && shift > 31) round += value >= 0 ? std::int64_t{1} << 30 : -(std::int64_t{1} << 30);
  return static_cast<std::int32_t>((std::int64_t{value} * scale.multiplier + round) >> shift);
}

/// apply_scale_16 of the specification: `value` is a 48-bit, the multiplier a 16-bit number; `scale` must be valid.
/// Clears `holds` if the result exceeds 32 bits, and then returns the low bits.
[[nodiscard]] constexpr std::int32_t apply_scale_16(std::int64_t value, Scale scale, bool& holds) {
  const auto result = (value * scale.multiplier + (std::int64_t{1} << (scale.shift - 1))) >> scale.shift;
  holds &= result == static_cast<std::int32_t>(result);
  return static_cast<std::int32_t>(result);
}

/// The number that an int48 element holds, whatever its upper bits.
constexpr std::int64_t low_48_bits(std::int64_t value) {
  return static_cast<std::int64_t>(static_cast<std::uint64_t>(value) << 16) >> 16;
}

/// 1/value as a scale, value > 0: reciprocal_scale of the specification.
[[nodiscard]] constexpr Scale reciprocal_scale(std::uint32_t value) {
  const int k = 32 - std::countl_zero(value - 1);
  const auto numerator = ((std::int64_t{1} << 30) + 1) << k;
  return {static_cast<std::int32_t>(numerator / value), static_cast<std::int8_t>(30 + k)};
}

}  // namespace macaw::tosa
