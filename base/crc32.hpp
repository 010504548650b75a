#pragma once
#include <cstddef>
#include <cstdint>
#include <span>

namespace macaw::io {

/// CRC-32 as zlib and zip files have it; `before` is that of the bytes in front of these.
[[nodiscard]] std::uint32_t crc32(std::span<const std::byte> bytes, std::uint32_t before = 0);

}  // namespace macaw::io
