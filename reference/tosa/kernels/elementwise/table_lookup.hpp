#pragma once
#include <cstddef>
#include <cstdint>

namespace macaw::tosa {

/// out[i] = table[in[i] + 128]; `table` has 256 entries.
void look_up_bytes(const std::int8_t* table, const std::int8_t* in, std::int8_t* out, std::size_t size);

/// The same in a plain loop.
inline void look_up_bytes_scalar(const std::int8_t* table, const std::int8_t* in, std::int8_t* out, std::size_t size) {
  for (std::size_t i = 0; i < size; ++i) out[i] = table[in[i] + 128];
}

/// Entries of a table that is interpolated: an entry in the upper 16 bits, and the slope to the next one in the others.
constexpr std::int32_t interpolated(std::int16_t in, const std::int32_t* steps) {
  // apply_lookup_s (tosa-specification, introduction.adoc): 7 fraction bits between neighbouring entries.
  const auto step = steps[(in + 32768) >> 7];
  return (step >> 16) * 128 + static_cast<std::int16_t>(step) * (in & 0x7F);
}

/// out[i] = interpolated(in[i], steps); 512 steps.
void interpolate(const std::int32_t* steps, const std::int16_t* in, std::int32_t* out, std::size_t size);

/// The same in a plain loop.
inline void interpolate_scalar(const std::int32_t* steps, const std::int16_t* in, std::int32_t* out, std::size_t size) {
  for (std::size_t i = 0; i < size; ++i) out[i] = interpolated(in[i], steps);
}

}  // namespace macaw::tosa
