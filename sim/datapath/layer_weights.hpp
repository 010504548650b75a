#pragma once
#include <macaw/npu/operation.hpp>
#include "sim/datapath/memory.hpp"
#include "sim/datapath/scale_stream.hpp"
#include "sim/datapath/uncleared.hpp"
#include "sim/datapath/weight_stream.hpp"

#include <optional>
#include <vector>

namespace macaw::npu {

/// Decodes the weight streams of all cores of an operation to OHWI [ofm.c][taps_y][taps_x][ifm.c, or 1 for depthwise].
/// A stream that holds more or fewer weights than the operation consumes is a fault.
[[nodiscard]] Result<Uncleared<std::int16_t>> load_weights(const BlockOperation& operation,
                                                           const Accelerator& accelerator, const MemoryMap& memory);

/// Reports the errors of load_weights().
[[nodiscard]] Result<void> check_weights(const BlockOperation& operation, const Accelerator& accelerator,
                                         const MemoryMap& memory);

/// Returns the sizes of an operation's standard weight streams, one per decoder; empty if a stream is missing or
/// faulty, or has a different format.
[[nodiscard]] std::vector<WeightStreamSize> weight_stream_sizes(const BlockOperation& operation,
                                                                const Accelerator& accelerator,
                                                                const MemoryMap& memory);

/// Returns the number of bytes that the fast weight stream of an operation needs; nullopt if it cannot be read.
[[nodiscard]] std::optional<std::uint64_t> fast_weight_bytes(const BlockOperation& operation,
                                                             const Accelerator& accelerator, const MemoryMap& memory);

/// Reads the entries of the scale streams of all cores, in channel order.
[[nodiscard]] Result<std::vector<ChannelScale>> load_scales(const BlockOperation& operation, const MemoryMap& memory);

/// Checks that the streams that an operation consumes lie in their regions; their contents are not checked.
[[nodiscard]] Result<void> check_weight_streams(const BlockOperation& op, const Accelerator& accelerator,
                                                const MemoryMap& memory);
[[nodiscard]] Result<void> check_scale_streams(const BlockOperation& op, const MemoryMap& memory);

}  // namespace macaw::npu
