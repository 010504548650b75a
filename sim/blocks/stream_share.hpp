#pragma once
#include <macaw/npu/operation.hpp>
#include "sim/blocks/transfer.hpp"

namespace macaw::npu {

/// Progress [begin, end) of a consumer that reads a stream once while it advances from 0 to `total`.
struct Progress {
  std::uint64_t begin = 0, end = 0, total = 1;
};

/// Appends the part of a weight or scale stream that the consumer needs between two points of its progress. The stream
/// is assumed to be spread evenly; parts end at burst boundaries, so that they add up to the beats and bursts of the
/// whole stream, and a burst is read when its first byte is needed.
void append_share(TransferList& list, Channel channel, const Stream& stream, const Progress& progress,
                  unsigned burst_bytes);

}  // namespace macaw::npu
