#pragma once
#include "sim/datapath/feature_map.hpp"
#include "sim/datapath/memory.hpp"

namespace macaw::npu {

/// Performs the copy of one DMA job (u55_u65 6.5, u85 6.5) and returns the range of destination bytes, from the lowest
/// to the highest; empty if nothing moves. Ranges that leave their region, an index above IDX_MAX, writes to a
/// read-only region and more than 2^32 bytes in all are errors, detected before the first byte moves.
[[nodiscard]] Result<ByteRange> execute(const DmaOperation& operation, const MemoryMap& memory);

/// Reports the errors of execute() without moving a byte. Indices are read if their region holds constants; otherwise
/// they depend on values of the run, and the job is kUnsupported.
[[nodiscard]] Result<void> check_addresses(const DmaOperation& operation, const MemoryMap& memory);

/// Returns the part of the region that execute() would write, from the lowest to the highest byte; empty if nothing
/// moves. Errors of the source are not checked.
[[nodiscard]] Result<std::span<std::uint8_t>> destination(const DmaOperation& operation, const MemoryMap& memory);

/// Work of a job: the bytes that it moves and 64 for each of its rows; saturates at 2^63-1.
[[nodiscard]] std::int64_t work(const DmaOperation& operation);

}  // namespace macaw::npu
