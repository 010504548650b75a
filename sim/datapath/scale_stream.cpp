#include "sim/datapath/scale_stream.hpp"
#include "sim/datapath/bits.hpp"

#include <fmt/format.h>

namespace macaw::npu {
namespace {

struct Fields {
  int bias, scale;  ///< widths; scale follows bias, the 6-bit shift follows at bit `shift`
  int shift;
};

constexpr Fields fields(ScaleFormat format) {
  switch (format) {
    case ScaleFormat::kBias40Scale32: return {40, 32, 72};
    case ScaleFormat::kBias32Scale31: return {32, 31, 64};
    case ScaleFormat::kBias48Scale15: return {48, 15, 64};
  }
  return {};
}

__extension__ using Uint128 = unsigned __int128;

}  // namespace

Result<std::vector<ChannelScale>> decode_scales(std::span<const std::uint8_t> stream, std::size_t count,
                                                ScaleFormat format) {
  if (stream.size() / kScaleEntryBytes < count)
    return fail(ErrorCode::kHardwareFault, fmt::format("scale stream: {} bytes hold fewer than {} entries of {} bytes",
                                                       stream.size(), count, kScaleEntryBytes));
  const Fields f = fields(format);
  std::vector<ChannelScale> out(count);
  for (std::size_t i = 0; i < count; ++i) {
    Uint128 word = 0;
    for (std::size_t b = kScaleEntryBytes; b-- > 0;) word = word << 8 | stream[i * kScaleEntryBytes + b];
    out[i].bias = wrap(static_cast<std::int64_t>(word), f.bias);
    out[i].scale = static_cast<std::uint32_t>((word >> f.bias) & ((std::uint64_t{1} << f.scale) - 1));
    out[i].shift = static_cast<int>((word >> f.shift) & 63);
  }
  return out;
}

void encode_scale(std::vector<std::uint8_t>& stream, const ChannelScale& entry, ScaleFormat format) {
  const Fields f = fields(format);
  Uint128 word = static_cast<std::uint64_t>(entry.bias) & ((std::uint64_t{1} << f.bias) - 1);
  word |= Uint128{entry.scale & ((std::uint64_t{1} << f.scale) - 1)} << f.bias;
  word |= Uint128{static_cast<unsigned>(entry.shift) & 63u} << f.shift;
  for (std::size_t b = 0; b < kScaleEntryBytes; ++b) stream.push_back(static_cast<std::uint8_t>(word >> (8 * b)));
}

}  // namespace macaw::npu
