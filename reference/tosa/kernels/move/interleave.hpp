#pragma once
#include <cstdint>

namespace macaw::tosa {

/// out[line * pitch + i] = in[i * lines + line] for `count` elements of 2 to 4 lines.
void deinterleave(const std::uint8_t* in, std::int64_t lines, std::int64_t count, std::uint8_t* out,
                  std::int64_t pitch);
void deinterleave(const std::uint16_t* in, std::int64_t lines, std::int64_t count, std::uint16_t* out,
                  std::int64_t pitch);
void deinterleave(const std::uint32_t* in, std::int64_t lines, std::int64_t count, std::uint32_t* out,
                  std::int64_t pitch);

/// out[i * lines + line] = in[line * pitch + i].
void interleave(const std::uint8_t* in, std::int64_t pitch, std::int64_t lines, std::int64_t count, std::uint8_t* out);
void interleave(const std::uint16_t* in, std::int64_t pitch, std::int64_t lines, std::int64_t count,
                std::uint16_t* out);
void interleave(const std::uint32_t* in, std::int64_t pitch, std::int64_t lines, std::int64_t count,
                std::uint32_t* out);

}  // namespace macaw::tosa
