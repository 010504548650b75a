#pragma once
#include "sim/timed/burst_cursor.hpp"
#include "sim/timed/core_config.hpp"

namespace macaw::npu::timed {

/// Longest transaction of a channel in a region in bytes, and the alignment at which transactions are split.
[[nodiscard]] std::uint32_t burst_bytes(const CoreConfig& config, Channel channel, int region);

/// Starts a cursor over transfers of one region, with the transaction size of their channel and side.
void start_cursor(BurstCursor& cursor, const CoreConfig& config, std::span<const Transfer> transfers);

}  // namespace macaw::npu::timed
