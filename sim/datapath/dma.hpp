#pragma once
#include "sim/datapath/feature_map.hpp"
#include "sim/datapath/memory.hpp"

namespace macaw::npu {

/// Copies what one DMA job copies (functional document 6.9). Ranges that leave their region, writes to a read-only
/// region and more than 2^32 bytes in all are errors, found before the first byte moves.
[[nodiscard]] Result<void> execute(const DmaOperation& operation, const MemoryMap& memory);

/// Bytes that the job writes, from the lowest to the highest.
[[nodiscard]] Result<ByteRange> destination_range(const DmaOperation& operation);

}  // namespace macaw::npu
