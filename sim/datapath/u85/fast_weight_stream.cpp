#include "sim/datapath/weight_stream.hpp"
#include "sim/datapath/weight_stream_format.hpp"

#include <algorithm>
#include <array>

#include <fmt/format.h>

// The fast weight format of U85 (u85 4.2; Vela,
// ethosu/regor/dependencies/mlw_codec/source/mlw_encode_fwd.cpp).
namespace macaw::npu {
namespace {

using weight_stream::fold;
using weight_stream::unfold;

constexpr std::size_t kUnitBytes = 32;  ///< size of the header, and granularity of the stream
constexpr std::uint8_t kRaw = 1, kTwoBits = 2;
constexpr std::size_t kZeroAdjustByte = 13, kLutByte = 14;
constexpr int kEntries = 16, kEntryBits = 9;

using Lut = std::array<int, kEntries>;  ///< folded

Lut read_lut(std::span<const std::uint8_t> header) {
  Lut lut{};
  for (std::size_t i = 0; i < lut.size(); ++i) {
    const std::size_t bit = i * kEntryBits;
    const std::size_t byte = kLutByte + bit / 8;
    const unsigned pair = header[byte] | static_cast<unsigned>(header[byte + 1]) << 8;
    lut[i] = static_cast<int>(pair >> (bit % 8) & 511);
  }
  return lut;
}

void write_lut(const Lut& lut, std::span<std::uint8_t> header) {
  for (std::size_t i = 0; i < lut.size(); ++i) {
    const std::size_t bit = i * kEntryBits;
    const std::size_t byte = kLutByte + bit / 8;
    const unsigned pair = static_cast<unsigned>(lut[i]) << (bit % 8);
    header[byte] = static_cast<std::uint8_t>(header[byte] | pair);
    header[byte + 1] = static_cast<std::uint8_t>(header[byte + 1] | pair >> 8);
  }
}

int bits_per_weight(std::uint8_t flags) { return flags & kRaw ? 8 : flags & kTwoBits ? 2 : 4; }

}  // namespace

Result<std::vector<std::int16_t>> decode_fast_weight_stream(std::span<const std::uint8_t> stream, std::size_t count) {
  if (stream.size() < kUnitBytes)
    return fail(ErrorCode::kHardwareFault, "fast weight stream: ends inside its header",
                {.byte_offset = stream.size()});
  const std::uint8_t flags = stream[0];
  const auto bits = static_cast<std::size_t>(bits_per_weight(flags));
  const auto data = stream.subspan(kUnitBytes);
  const std::size_t per_byte = 8 / bits;
  if (count > data.size() * per_byte)
    return fail(ErrorCode::kHardwareFault,
                fmt::format("fast weight stream: {} bytes hold fewer than the {} weights that the operation consumes",
                            stream.size(), count),
                {.byte_offset = stream.size()});
  std::vector<std::int16_t> weights(count);
  if (flags & kRaw) {
    const int adjust = static_cast<std::int8_t>(stream[kZeroAdjustByte]);
    for (std::size_t i = 0; i < count; ++i)
      weights[i] = static_cast<std::int16_t>(static_cast<std::int8_t>(data[i]) - adjust);
    return weights;
  }
  const Lut lut = read_lut(stream);
  const unsigned mask = (1u << bits) - 1;
  for (std::size_t i = 0; i < count; ++i) {
    const unsigned index = data[i / per_byte] >> (i % per_byte * bits) & mask;
    weights[i] = static_cast<std::int16_t>(unfold(lut[index]));
  }
  return weights;
}

std::uint64_t fast_weight_stream_bytes(std::span<const std::uint8_t> stream, std::size_t count) {
  if (stream.empty()) return 0;
  const auto per_byte = static_cast<std::size_t>(8 / bits_per_weight(stream[0]));
  const std::uint64_t bytes = kUnitBytes + (count + per_byte - 1) / per_byte;
  return (bytes + kUnitBytes - 1) / kUnitBytes * kUnitBytes;
}

Result<std::vector<std::uint8_t>> encode_fast_weight_stream(std::span<const std::int16_t> weights, bool raw) {
  Lut lut{};
  std::array<int, 512> index{};
  index.fill(-1);
  int used = 0, lowest = 0, highest = 0;
  for (const int weight : weights) {
    if (weight < -255 || weight > 255)
      return fail(ErrorCode::kUsage, fmt::format("weight {} is outside -255..255", weight));
    lowest = std::min(lowest, weight);
    highest = std::max(highest, weight);
    int& entry = index[static_cast<std::size_t>(fold(weight))];
    if (entry >= 0) continue;
    entry = used++;
    if (used > kEntries) raw = true;
    if (!raw) lut[static_cast<std::size_t>(entry)] = fold(weight);
  }
  if (raw && highest - lowest > 255)
    return fail(ErrorCode::kUsage,
                fmt::format("weights from {} to {} do not fit the fast weight format", lowest, highest));
  const auto flags = static_cast<std::uint8_t>(raw ? kRaw : used <= 4 ? kTwoBits : 0);
  const auto bits = static_cast<std::size_t>(bits_per_weight(flags)), per_byte = 8 / bits;
  const std::size_t bytes = kUnitBytes + (weights.size() + per_byte - 1) / per_byte;
  std::vector<std::uint8_t> stream((bytes + kUnitBytes - 1) / kUnitBytes * kUnitBytes);
  stream[0] = flags;
  const int adjust = lowest < -128 ? -128 - lowest : highest > 127 ? 127 - highest : 0;
  if (raw) stream[kZeroAdjustByte] = static_cast<std::uint8_t>(adjust);
  else write_lut(lut, stream);
  for (std::size_t i = 0; i < weights.size(); ++i) {
    const int code = raw ? (weights[i] + adjust) & 255 : index[static_cast<std::size_t>(fold(weights[i]))];
    auto& byte = stream[kUnitBytes + i / per_byte];
    byte = static_cast<std::uint8_t>(byte | code << (i % per_byte * bits));
  }
  return stream;
}

}  // namespace macaw::npu
