#pragma once
#include <macaw/error.hpp>

#include "sim/datapath/uncleared.hpp"

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace macaw::npu {

/// Decodes a standard weight stream (u55_u65 4.1; Vela, ethosu/mlw_codec/mlw_decode.c) to weights in
/// consumption order, each in -255..255. More than `max_weights` is an error, and so is a header, index or chunk that
/// breaks the format: kHardwareFault with the byte offset in the stream.
[[nodiscard]] Result<Uncleared<std::int16_t>> decode_weight_stream(std::span<const std::uint8_t> stream,
                                                                   std::size_t max_weights);

/// Parts of a standard weight stream, zeros included in the weights.
struct WeightStreamSize {
  std::size_t weights = 0;
  std::uint64_t chunks = 0;  ///< iterations of the loop of u55_u65 4.1.4 that read symbols
  std::uint64_t slices = 0;
};
/// Returns the size of a stream; errors are those of decode_weight_stream().
[[nodiscard]] Result<WeightStreamSize> measure_weight_stream(std::span<const std::uint8_t> stream,
                                                             std::size_t max_weights);
/// Returns the number of weights; errors are those of decode_weight_stream().
[[nodiscard]] Result<std::size_t> count_weight_stream(std::span<const std::uint8_t> stream, std::size_t max_weights);

/// Encodes weights in consumption order; the result is a multiple of 16 bytes. A weight outside -255..255 is a
/// kUsage error.
[[nodiscard]] Result<std::vector<std::uint8_t>> encode_weight_stream(std::span<const std::int16_t> weights);

/// Decodes the first `count` weights of a fast weight stream of U85 (u85 4.2). A stream that is too
/// short is a kHardwareFault.
[[nodiscard]] Result<std::vector<std::int16_t>> decode_fast_weight_stream(std::span<const std::uint8_t> stream,
                                                                          std::size_t count);

/// Size in bytes of a fast weight stream with `count` weights, from its header; a multiple of 32. 0 without a header.
[[nodiscard]] std::uint64_t fast_weight_stream_bytes(std::span<const std::uint8_t> stream, std::size_t count);

/// Encodes weights in consumption order; the result is a multiple of 32 bytes. `raw` disables the table of values, as
/// required for sparse weights. Weights outside -255..255, or more than 16 values that span more than 256, are kUsage
/// errors.
[[nodiscard]] Result<std::vector<std::uint8_t>> encode_fast_weight_stream(std::span<const std::int16_t> weights,
                                                                          bool raw = false);

}  // namespace macaw::npu
