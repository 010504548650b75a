#pragma once
#include <cstddef>
#include <cstdint>
#include <span>

namespace macaw::io {

/// CRC-32 as zlib and zip files have it.
[[nodiscard]] std::uint32_t crc32(std::span<const std::byte> bytes);

}  // namespace macaw::io
