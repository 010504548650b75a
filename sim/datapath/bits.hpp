#pragma once
#include <cstdint>
#include <limits>

namespace macaw::npu {

__extension__ using Int128 = __int128;

/// The low `bits` (1..64) of a value, sign-extended: what an accumulator of that width holds.
[[nodiscard]] constexpr std::int64_t wrap(std::int64_t value, int bits) {
  if (bits >= 64) return value;
  const int unused = 64 - bits;
  return static_cast<std::int64_t>(static_cast<std::uint64_t>(value) << unused) >> unused;
}

/// Addition and multiplication modulo 2^64.
[[nodiscard]] constexpr std::int64_t wrapping_add(std::int64_t a, std::int64_t b) {
  return static_cast<std::int64_t>(static_cast<std::uint64_t>(a) + static_cast<std::uint64_t>(b));
}
[[nodiscard]] constexpr std::int64_t wrapping_mul(std::int64_t a, std::int64_t b) {
  return static_cast<std::int64_t>(static_cast<std::uint64_t>(a) * static_cast<std::uint64_t>(b));
}

[[nodiscard]] constexpr std::int64_t round_up(std::int64_t value, std::int64_t multiple) {
  return (value + multiple - 1) / multiple * multiple;
}
[[nodiscard]] constexpr std::int64_t ceil_div(std::int64_t value, std::int64_t divisor) {
  return (value + divisor - 1) / divisor;
}

/// Range of an integer of `bits` (1..63), or of int64 for 64.
struct IntRange {
  std::int64_t min = 0, max = 0;
};
[[nodiscard]] constexpr IntRange int_range(int bits, bool is_signed) {
  if (bits >= 64) return {std::numeric_limits<std::int64_t>::min(), std::numeric_limits<std::int64_t>::max()};
  if (is_signed) return {-(std::int64_t{1} << (bits - 1)), (std::int64_t{1} << (bits - 1)) - 1};
  return {0, (std::int64_t{1} << bits) - 1};
}

}  // namespace macaw::npu
