#include "sim/datapath/layer_weights.hpp"
#include "sim/datapath/bits.hpp"
#include "sim/datapath/generation.hpp"
#include "sim/datapath/u85/weight_order.hpp"
#include "sim/datapath/weight_order.hpp"
#include "sim/datapath/weight_stream.hpp"

#include <algorithm>
#include <functional>

#include <fmt/format.h>

namespace macaw::npu {
namespace {

/// Maximum number of weights per byte of a stream: each bit of a zero run's unary part counts at most 8 zeros.
constexpr std::int64_t kWeightsPerByte = 64;
constexpr std::int64_t kFastWeightsPerByte = 4;

tl::unexpected<Error> in_stream(const Error& error, int index, const Stream& stream) {
  return fail(error.code, fmt::format("{} (byte {} of stream {} at {} of region {})", error.message,
                                      error.place.byte_offset.value_or(0), index, stream.base, stream.region));
}

/// Called with the number of a stream and its symbols.
using SymbolSink = std::function<void(int, std::span<const std::int16_t>)>;

/// One fast stream interleaves the weights of all decoders.
Result<void> decode_fast_stream(const BlockOperation& op, const WeightGeometry& geometry, const MemoryMap& memory,
                                const SymbolSink& decoded) {
  const Stream& stream = op.weights[0];
  MACAW_ASSIGN(const std::int64_t symbols, weight_stream_symbols(geometry, 0));
  const Int128 total = Int128{symbols} * geometry.streams;
  if (total > Int128{stream.length} * kFastWeightsPerByte || geometry.weights() > total)
    return fail(ErrorCode::kHardwareFault, fmt::format("fast weight stream: {} bytes cannot hold the {} weights that "
                                                       "the operation consumes",
                                                       stream.length, symbols));
  MACAW_ASSIGN(const auto bytes, readable(memory, stream.region, stream.base, stream.length, "fast weight stream"));
  const auto weights = decode_fast_weight_stream(bytes, static_cast<std::size_t>(total));
  if (!weights) return in_stream(weights.error(), 0, stream);
  if (!decoded) return {};
  if (geometry.streams == 1) {
    decoded(0, *weights);
    return {};
  }
  const std::int64_t block = interleave_block(geometry);
  std::vector<std::int16_t> own(static_cast<std::size_t>(symbols));
  for (int s = 0; s < geometry.streams; ++s) {
    std::int64_t source = s * block;
    for (std::int64_t done = 0; done < symbols; done += block, source += block * geometry.streams)
      std::copy_n(weights->begin() + source, std::min(block, symbols - done), own.begin() + done);
    decoded(s, own);
  }
  return {};
}

/// Decodes the stream of every decoder; without a sink, only counts its symbols.
Result<void> decode_streams(const BlockOperation& op, const WeightGeometry& geometry, const MemoryMap& memory,
                            const SymbolSink& decoded) {
  if (op.fast_weights) return decode_fast_stream(op, geometry, memory, decoded);
  // Every count is compared with the length of its stream before memory is allocated.
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
  for (int s = 0; s < geometry.streams; ++s) {
    const Stream& stream = op.weights[static_cast<std::size_t>(s)];
    MACAW_ASSIGN(const std::int64_t symbols, weight_stream_symbols(geometry, s));
    if (symbols == 0) continue;
    MACAW_ASSIGN(const auto bytes,
                 readable(memory, stream.region, stream.base, stream.length, fmt::format("weight stream {}", s)));
    const auto wrong = [&](std::size_t held) {
      return fail(ErrorCode::kHardwareFault,
                  fmt::format("weight stream {} holds {} weights, but the operation consumes {}", s, held, symbols));
    };
    const auto most = static_cast<std::size_t>(symbols);
    if (!decoded) {
      const auto held = count_weight_stream(bytes, most);
      if (!held) return in_stream(held.error(), s, stream);
      if (*held != most) return wrong(*held);
      continue;
    }
    const auto weights = decode_weight_stream(bytes, most);
    if (!weights) return in_stream(weights.error(), s, stream);
    if (weights->size() != most) return wrong(weights->size());
    decoded(s, *weights);
  }
  return {};
}

}  // namespace

Result<Uncleared<std::int16_t>> load_weights(const BlockOperation& op, const Accelerator& accelerator,
                                             const MemoryMap& memory) {
  MACAW_ASSIGN(const WeightGeometry geometry, weight_geometry(op, accelerator));
  Uncleared<std::int16_t> ohwi;
  MACAW_CHECK(decode_streams(op, geometry, memory, [&](int stream, std::span<const std::int16_t> symbols) {
    ohwi.resize(static_cast<std::size_t>(geometry.weights()));
    place_weights(geometry, stream, symbols, ohwi);
  }));
  return ohwi;
}

Result<void> check_weights(const BlockOperation& op, const Accelerator& accelerator, const MemoryMap& memory) {
  MACAW_ASSIGN(const WeightGeometry geometry, weight_geometry(op, accelerator));
  return decode_streams(op, geometry, memory, {});
}

Result<void> check_weight_streams(const BlockOperation& op, const Accelerator& accelerator, const MemoryMap& memory) {
  MACAW_ASSIGN(const WeightGeometry geometry, weight_geometry(op, accelerator));
  for (int s = 0; s < (op.fast_weights ? 1 : geometry.streams); ++s) {
    const Stream& stream = op.weights[static_cast<std::size_t>(s)];
    MACAW_ASSIGN(const std::int64_t symbols, weight_stream_symbols(geometry, s));
    if (symbols == 0) continue;
    MACAW_CHECK(readable(memory, stream.region, stream.base, stream.length,
                         op.fast_weights ? "fast weight stream" : fmt::format("weight stream {}", s)));
  }
  return {};
}

Result<void> check_scale_streams(const BlockOperation& op, const MemoryMap& memory) {
  for (int s = 0; s < (op.dual_core ? 2 : 1) && s < op.ofm.c; ++s) {
    const Stream& stream = op.scales[static_cast<std::size_t>(s)];
    MACAW_CHECK(readable(memory, stream.region, stream.base, stream.length, fmt::format("scale stream {}", s)));
  }
  return {};
}

std::vector<WeightStreamSize> weight_stream_sizes(const BlockOperation& op, const Accelerator& accelerator,
                                                  const MemoryMap& memory) {
  const auto geometry = weight_geometry(op, accelerator);
  if (!geometry || op.fast_weights || !check_weight_streams(op, accelerator, memory)) return {};
  std::vector<WeightStreamSize> sizes(static_cast<std::size_t>(geometry->streams));
  for (int s = 0; s < geometry->streams; ++s) {
    const Stream& stream = op.weights[static_cast<std::size_t>(s)];
    const auto symbols = weight_stream_symbols(*geometry, s);
    if (!symbols) return {};
    if (*symbols == 0) continue;
    const auto bytes = readable(memory, stream.region, stream.base, stream.length, "weight stream");
    const auto size = measure_weight_stream(*bytes, static_cast<std::size_t>(*symbols));
    if (!size || size->weights != static_cast<std::size_t>(*symbols)) return {};
    sizes[static_cast<std::size_t>(s)] = *size;
  }
  return sizes;
}

std::optional<std::uint64_t> fast_weight_bytes(const BlockOperation& op, const Accelerator& accelerator,
                                               const MemoryMap& memory) {
  const auto geometry = weight_geometry(op, accelerator);
  if (!geometry) return std::nullopt;
  const auto symbols = weight_stream_symbols(*geometry, 0);
  const auto bytes = readable(memory, op.weights[0].region, op.weights[0].base, op.weights[0].length, "weights");
  if (!symbols || !bytes) return std::nullopt;
  return fast_weight_stream_bytes(*bytes, static_cast<std::size_t>(*symbols * geometry->streams));
}

Result<std::vector<ChannelScale>> load_scales(const BlockOperation& op, const MemoryMap& memory) {
  const ScaleFormat format = datapath::generation(op.family).scale_format(op);
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
