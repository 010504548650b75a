#pragma once
#include <macaw/error.hpp>

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace macaw::npu {

/// Decodes a standard weight stream (functional document 4.1; Vela, ethosu/mlw_codec/mlw_decode.c) to weights in
/// consumption order, each in -255..255. More than `max_weights` is an error, and so is a header, index or chunk that
/// breaks the format: kHardwareFault with the byte offset in the stream.
[[nodiscard]] Result<std::vector<std::int16_t>> decode_weight_stream(std::span<const std::uint8_t> stream,
                                                                     std::size_t max_weights);

/// Encodes weights in consumption order; the result is a multiple of 16 bytes. A weight outside -255..255 is a
/// kUsage error.
[[nodiscard]] Result<std::vector<std::uint8_t>> encode_weight_stream(std::span<const std::int16_t> weights);

}  // namespace macaw::npu
