#pragma once
#include <macaw/error.hpp>

#include <cstddef>
#include <span>
#include <string>
#include <vector>

namespace macaw::app {

/// Pixels of a picture (0 to 255, row by row) or frames of a recording (-1 to 1, `height` is 1), with interleaved
/// channels.
struct Samples {
  std::size_t height = 0, width = 0, channels = 0;
  double rate = 0;  ///< frames per second of a recording
  std::vector<float> values;
};

/// Limit of pixels or frames of a file, so that a small file cannot claim all memory.
inline constexpr std::size_t kMostSamples = std::size_t{1} << 26;

/// Decode whole files; `file` is the place in errors. kInvalidFile for malformed files, kUnsupported for features that
/// are not read (PNG with 16 bits per channel, compressed WAV).
[[nodiscard]] Result<Samples> decode_png(std::span<const std::byte> bytes, const std::string& file);
[[nodiscard]] Result<Samples> decode_jpeg(std::span<const std::byte> bytes, const std::string& file);
[[nodiscard]] Result<Samples> decode_wav(std::span<const std::byte> bytes, const std::string& file);

}  // namespace macaw::app
