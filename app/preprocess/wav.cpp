#include <fmt/format.h>

#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <optional>
#include <string_view>

#include "app/preprocess/samples.hpp"

// RIFF WAVE: Microsoft, "Multiple channel audio data and WAVE files". Chunks of PCM and IEEE floats are read, which is
// all that data sets have; a library would bring the decoders of eight compressed formats with it.
namespace macaw::app {
namespace {

constexpr std::uint16_t kPcm = 1, kFloat = 3, kExtensible = 0xFFFE;

std::uint64_t little_endian(std::span<const std::byte> bytes, std::size_t at, std::size_t count) {
  std::uint64_t value = 0;
  for (std::size_t i = 0; i < count; ++i) value |= std::uint64_t{std::to_integer<std::uint8_t>(bytes[at + i])} << 8 * i;
  return value;
}

struct Format {
  std::uint16_t kind = 0;
  std::size_t channels = 0, bytes = 0;  ///< bytes of one sample
  double rate = 0;
};

float sample_of(std::span<const std::byte> data, std::size_t at, const Format& format) {
  const auto bits = little_endian(data, at, format.bytes);
  if (format.kind == kFloat)
    return format.bytes == 4 ? std::bit_cast<float>(static_cast<std::uint32_t>(bits))
                             : static_cast<float>(std::bit_cast<double>(bits));
  if (format.bytes == 1) return (static_cast<float>(bits) - 128) / 128;
  const auto unused = 64 - 8 * format.bytes;
  const auto value = std::bit_cast<std::int64_t>(bits << unused) >> unused;
  return static_cast<float>(std::ldexp(static_cast<double>(value), 1 - static_cast<int>(8 * format.bytes)));
}

/// Samples lie in as many whole bytes as their bits need, at the upper end of these.
Result<Format> read_format(std::span<const std::byte> chunk, const std::string& file) {
  const auto bits = static_cast<std::size_t>(little_endian(chunk, 14, 2));
  const auto frame = static_cast<std::size_t>(little_endian(chunk, 12, 2));
  Format format{.kind = static_cast<std::uint16_t>(little_endian(chunk, 0, 2)),
                .channels = static_cast<std::size_t>(little_endian(chunk, 2, 2)),
                .bytes = (bits + 7) / 8,
                .rate = static_cast<double>(little_endian(chunk, 4, 4))};
  if (format.kind == kExtensible && chunk.size() >= 26)
    format.kind = static_cast<std::uint16_t>(little_endian(chunk, 24, 2));
  const bool is_read = format.kind == kPcm     ? bits >= 8 && bits <= 32
                       : format.kind == kFloat ? bits == 32 || bits == 64
                                               : false;
  if (is_read && format.channels > 0 && frame == format.channels * format.bytes) return format;
  return fail(ErrorCode::kUnsupported,
              fmt::format("WAV of format {} with {} bits per sample, {} channels and {} bytes per frame; expected PCM "
                          "of 8 to 32 bits, or floats, without bytes in between",
                          format.kind, bits, format.channels, frame),
              {.file = file});
}

bool is_named(std::span<const std::byte> bytes, std::size_t at, std::string_view name) {
  return std::memcmp(bytes.data() + at, name.data(), name.size()) == 0;
}

}  // namespace

Result<Samples> decode_wav(std::span<const std::byte> bytes, const std::string& file) {
  const auto invalid = [&](std::string_view text) {
    return fail(ErrorCode::kInvalidFile, fmt::format("invalid WAV file: {}", text), {.file = file});
  };
  if (bytes.size() < 12 || !is_named(bytes, 0, "RIFF") || !is_named(bytes, 8, "WAVE"))
    return invalid("it does not begin with RIFF and WAVE");
  std::optional<Format> format;
  for (std::size_t at = 12; at + 8 <= bytes.size();) {
    const auto size = static_cast<std::size_t>(little_endian(bytes, at + 4, 4));
    const auto start = at + 8;
    if (is_named(bytes, at, "fmt ")) {
      if (size < 16 || size > bytes.size() - start) return invalid("the format chunk is cut short");
      MACAW_ASSIGN(format, read_format(bytes.subspan(start, size), file));
    } else if (is_named(bytes, at, "data")) {
      if (!format) return invalid("the data come before their format");
      // A recording that was not finished states more than there is.
      const auto data = bytes.subspan(start, std::min(size, bytes.size() - start));
      const auto frame = format->channels * format->bytes, frames = data.size() / frame;
      if (frames == 0) return invalid("it has no samples");
      if (frames > kMostSamples / format->channels)
        return fail(ErrorCode::kUnsupported, fmt::format("more than {} samples", kMostSamples), {.file = file});
      Samples samples{.height = 1, .width = frames, .channels = format->channels, .rate = format->rate, .values = {}};
      samples.values.reserve(frames * format->channels);
      for (std::size_t i = 0; i < frames * format->channels; ++i)
        samples.values.push_back(sample_of(data, i * format->bytes, *format));
      return samples;
    }
    if (size > bytes.size() - start) break;
    at = start + size + size % 2;
  }
  return invalid("it has no data");
}

}  // namespace macaw::app
