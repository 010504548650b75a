#pragma once
#include <macaw/error.hpp>

#include <cstdint>
#include <span>
#include <vector>

namespace macaw::npu {

/// Bias and scale of one OFM channel.
struct ChannelScale {
  std::int64_t bias = 0;  ///< signed, 40 bits (U55/U65), 32 or 48 (U85)
  std::uint32_t scale = 1;
  int shift = 0;  ///< 0..63
};

inline constexpr std::size_t kScaleEntryBytes = 10;

enum class ScaleFormat : std::uint8_t {
  kBias40Scale32,  ///< U55/U65
  kBias32Scale31,  ///< U85, 32-bit accumulators
  kBias48Scale15,  ///< U85, 48-bit accumulators
};

/// Reads `count` entries (functional document 5.3); an error if the stream is shorter.
[[nodiscard]] Result<std::vector<ChannelScale>> decode_scales(std::span<const std::uint8_t> stream, std::size_t count,
                                                              ScaleFormat format);
/// Appends one entry.
void encode_scale(std::vector<std::uint8_t>& stream, const ChannelScale& entry, ScaleFormat format);

}  // namespace macaw::npu
