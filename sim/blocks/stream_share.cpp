#include "sim/blocks/stream_share.hpp"

#include <algorithm>

namespace macaw::npu {
namespace {

__extension__ using Wide = unsigned __int128;

/// Bytes read when the consumer has reached `at`: up to the next burst boundary.
std::uint64_t bytes_until(const Stream& stream, std::uint64_t at, std::uint64_t total, std::uint64_t burst) {
  if (at == 0) return 0;
  if (at >= total) return stream.length;
  const Wide exact = (Wide(stream.length) * at + total - 1) / total;
  const Wide lead = stream.base % burst;
  const Wide aligned = (lead + exact + burst - 1) / burst * burst - lead;
  return static_cast<std::uint64_t>(std::min<Wide>(aligned, stream.length));
}

}  // namespace

void append_share(TransferList& list, Channel channel, const Stream& stream, const Progress& progress,
                  unsigned burst_bytes) {
  const auto begin = bytes_until(stream, progress.begin, progress.total, burst_bytes);
  const auto end = bytes_until(stream, progress.end, progress.total, burst_bytes);
  if (end > begin) list.push_back(contiguous(channel, stream.region, stream.base + begin, end - begin));
}

}  // namespace macaw::npu
