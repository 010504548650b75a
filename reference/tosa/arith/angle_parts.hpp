#pragma once
#include <cstdint>

namespace macaw::tosa {

/// Angles from here on are large.
inline constexpr double kLeastLargeAngle = 0x1p20;
/// The least exponent of an angle that kAngleParts is for, and how many there are: those of floats and some more.
inline constexpr int kLeastAngleExponent = 20, kAngleExponents = 128;

/// Parts of 2^(exponent - 23) / pi modulo 2 for each exponent: the first 29, the next 28 and the next 53 bits.
struct AngleParts {
  double first[kAngleExponents], second[kAngleExponents], third[kAngleExponents];
};

[[nodiscard]] constexpr AngleParts angle_parts() {
  // 1 / pi as a fraction
  constexpr std::uint64_t kByPi[] = {0x517C'C1B7'2722'0A94, 0xFE13'ABE8'FA9A'6EE0, 0x6DB1'4ACC'9E21'C820,
                                     0xFF28'B1D5'EF5D'E2B0};
  // Bit `at` has weight 2^-at.
  const auto bits = [&](int at, int count) {
    std::uint64_t sum = 0;
    for (const int end = at + count; at < end; ++at)
      sum = 2 * sum + (at < 1 || at > 256 ? 0 : kByPi[(at - 1) / 64] >> (63 - (at - 1) % 64) & 1);
    return static_cast<double>(sum);
  };
  AngleParts parts{};
  for (int i = 0; i < kAngleExponents; ++i) {
    const int one = i + kLeastAngleExponent - 23;  // the bit that gets weight 1
    parts.first[i] = bits(one, 29) * 0x1p-28;
    parts.second[i] = bits(one + 29, 28) * 0x1p-56;
    parts.third[i] = bits(one + 57, 53) * 0x1p-109;
  }
  return parts;
}
inline constexpr AngleParts kAngleParts = angle_parts();

}  // namespace macaw::tosa
