#pragma once
#include <macaw/npu/operation.hpp>
#include "sim/datapath/memory.hpp"
#include "sim/datapath/scale_stream.hpp"
#include "sim/datapath/uncleared.hpp"
#include "sim/datapath/weight_stream.hpp"

#include <optional>
#include <vector>

namespace macaw::npu {

/// Decodes the weight streams of an operation, all cores, to OHWI [ofm.c][taps_y][taps_x][ifm.c, or 1 for depthwise].
/// A stream that holds more or fewer weights than the operation consumes is a fault.
[[nodiscard]] Result<Uncleared<std::int16_t>> load_weights(const BlockOperation& operation,
                                                           const Accelerator& accelerator, const MemoryMap& memory);

/// The errors of load_weights().
[[nodiscard]] Result<void> check_weights(const BlockOperation& operation, const Accelerator& accelerator,
                                         const MemoryMap& memory);

/// The sizes of an operation's standard weight streams, one of each decoder; none where a stream is missing or faulty,
/// or the format is another.
[[nodiscard]] std::vector<WeightStreamSize> weight_stream_sizes(const BlockOperation& operation,
                                                                const Accelerator& accelerator,
                                                                const MemoryMap& memory);

/// Bytes that the fast weight stream of an operation needs; nothing if it cannot be read.
[[nodiscard]] std::optional<std::uint64_t> fast_weight_bytes(const BlockOperation& operation,
                                                             const Accelerator& accelerator, const MemoryMap& memory);

/// Entries of the scale streams in channel order, all cores.
[[nodiscard]] Result<std::vector<ChannelScale>> load_scales(const BlockOperation& operation, const MemoryMap& memory);

/// Whether the streams that an operation consumes lie in their regions; their contents are not looked at.
[[nodiscard]] Result<void> check_weight_streams(const BlockOperation& op, const Accelerator& accelerator,
                                                const MemoryMap& memory);
[[nodiscard]] Result<void> check_scale_streams(const BlockOperation& op, const MemoryMap& memory);

}  // namespace macaw::npu
