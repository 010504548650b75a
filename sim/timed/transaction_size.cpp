#include "sim/timed/transaction_size.hpp"

#include "sim/timed/generation.hpp"

#include <algorithm>
#include <cmath>

namespace macaw::npu::timed {

std::uint32_t burst_bytes(const CoreConfig& config, Channel channel, int region) {
  const bool short_bursts = channel == Channel::kReadCommands || channel == Channel::kReadScaleBias;
  const std::uint32_t longest = config.limits ? (*config.limits)[config.limit_of(region)].burst_bytes
                                              : static_cast<std::uint32_t>(config.accelerator.burst_bytes);
  if (!short_bursts || !config.generation.rules.short_bursts) return longest;
  return std::min(longest, static_cast<std::uint32_t>(CoreConfig::count(config.params.short_burst)));
}

void start_cursor(BurstCursor& cursor, const CoreConfig& config, std::span<const Transfer> transfers) {
  if (transfers.empty()) return;
  const auto beat = static_cast<std::uint32_t>(config.accelerator.beat_bytes);
  Beats most(UINT32_MAX);
  if (const double bytes = config.generation.longest_transaction(config, transfers[0]); bytes > 0)
    most = Beats(static_cast<std::uint64_t>(CoreConfig::count(std::ceil(bytes / beat))));
  const bool join_bricks = config.generation.rules.join_bricks && transfers[0].channel == Channel::kReadIfm;
  const int region = transfers[0].region;
  cursor.start(transfers, config.base(transfers[0]), beat, burst_bytes(config, transfers[0].channel, region), most,
               join_bricks);
  cursor.limit = config.limit_of(region);
}

}  // namespace macaw::npu::timed
