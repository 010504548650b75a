#include "sim/datapath/layer_weights.hpp"
#include "sim/datapath/bits.hpp"
#include "sim/datapath/weight_order.hpp"
#include "sim/datapath/weight_stream.hpp"

#include <fmt/format.h>

namespace macaw::npu {
namespace {

/// Most weights that a byte of a stream can stand for: each bit of a zero run's unary part counts at most 8 zeros.
constexpr std::int64_t kWeightsPerByte = 64;

}  // namespace

Result<std::vector<std::int16_t>> load_weights(const BlockOperation& op, const Accelerator& accelerator,
                                               const MemoryMap& memory) {
  MACAW_ASSIGN(const WeightGeometry geometry, weight_geometry(op, accelerator));
  // Every count is compared with the length of its stream before memory is taken for it.
  std::int64_t total = 0;
  for (int s = 0; s < geometry.streams; ++s) {
    const Stream& stream = op.weights[static_cast<std::size_t>(s)];
    MACAW_ASSIGN(const std::int64_t symbols, weight_stream_symbols(geometry, s));
    if (Int128{symbols} > Int128{stream.length} * kWeightsPerByte)
      return fail(ErrorCode::kHardwareFault, fmt::format("weight stream {}: {} bytes cannot hold the {} weights that "
                                                         "the operation consumes",
                                                         s, stream.length, symbols));
    total += symbols;
  }
  if (geometry.weights() > total) return fail(ErrorCode::kHardwareFault, "the weight streams miss OFM channels");
  std::vector<std::int16_t> ohwi(static_cast<std::size_t>(geometry.weights()));
  for (int s = 0; s < geometry.streams; ++s) {
    const Stream& stream = op.weights[static_cast<std::size_t>(s)];
    MACAW_ASSIGN(const std::int64_t symbols, weight_stream_symbols(geometry, s));
    if (symbols == 0) continue;
    MACAW_ASSIGN(const auto bytes,
                 readable(memory, stream.region, stream.base, stream.length, fmt::format("weight stream {}", s)));
    const auto weights = decode_weight_stream(bytes, static_cast<std::size_t>(symbols));
    if (!weights) {
      const Error& error = weights.error();
      return fail(error.code, fmt::format("{} (byte {} of stream {} at {} of region {})", error.message,
                                          error.place.byte_offset.value_or(0), s, stream.base, stream.region));
    }
    if (static_cast<std::int64_t>(weights->size()) != symbols)
      return fail(
          ErrorCode::kHardwareFault,
          fmt::format("weight stream {} holds {} weights, but the operation consumes {}", s, weights->size(), symbols));
    place_weights(geometry, s, *weights, ohwi);
  }
  return ohwi;
}

Result<std::vector<ChannelScale>> load_scales(const BlockOperation& op, const MemoryMap& memory) {
  const ScaleFormat format = op.family != Family::kU85          ? ScaleFormat::kBias40Scale32
                             : op.acc_format == AccFormat::kI48 ? ScaleFormat::kBias48Scale15
                                                                : ScaleFormat::kBias32Scale31;
  const int streams = op.dual_core ? 2 : 1;
  std::vector<ChannelScale> out(static_cast<std::size_t>(op.ofm.c));
  for (int s = 0; s < streams; ++s) {
    const Stream& stream = op.scales[static_cast<std::size_t>(s)];
    const auto count = static_cast<std::size_t>(op.ofm.c > s ? ceil_div(op.ofm.c - s, streams) : 0);
    if (count == 0) continue;
    MACAW_ASSIGN(const auto bytes,
                 readable(memory, stream.region, stream.base, stream.length, fmt::format("scale stream {}", s)));
    MACAW_ASSIGN(const auto entries, decode_scales(bytes, count, format));
    for (std::size_t i = 0; i < count; ++i)
      out[i * static_cast<std::size_t>(streams) + static_cast<std::size_t>(s)] = entries[i];
  }
  return out;
}

}  // namespace macaw::npu
