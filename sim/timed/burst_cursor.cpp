#include "sim/timed/burst_cursor.hpp"

#include <algorithm>

namespace macaw::npu::timed {

void BurstCursor::start(std::span<const Transfer> transfers, std::uint64_t base, std::uint32_t beat_bytes,
                        std::uint32_t burst_bytes, Beats most, bool join_bricks) {
  transfers_ = transfers;
  base_ = base;
  beat_bytes_ = beat_bytes;
  burst_bytes_ = burst_bytes;
  most_ = std::max(most, Beats(1));
  transfer_ = 0;
  left_ = 0;
  address_ = end_ = 0;
  beats_ = {};
  join_bricks_ = join_bricks;
}

void BurstCursor::advance(const Transfer& transfer) {
  --left_;
  for (std::size_t i = 0; i < position_.size(); ++i) {
    const auto& level = transfer.levels[i];
    next_run_ += static_cast<std::uint64_t>(level.stride);
    if (++position_[i] < level.count) return;
    next_run_ -= level.count * static_cast<std::uint64_t>(level.stride);
    position_[i] = 0;
  }
}

bool BurstCursor::take_run() {
  while (left_ == 0) {
    if (transfer_ == transfers_.size()) return false;
    const Transfer& transfer = transfers_[transfer_++];
    left_ = transfer.runs();
    next_run_ = base_ + transfer.address;
    position_ = {};
  }
  const Transfer& transfer = transfers_[transfer_ - 1];
  address_ = next_run_;
  end_ = address_ + transfer.run;
  advance(transfer);
  // Whole bricks only: merging runs must not change their beats.
  const std::uint64_t within_beat = beat_bytes_ - 1;
  const bool join = join_bricks_ && ((address_ | transfer.run) & within_beat) == 0;
  while (join && position_[0] != 0 && next_run_ == end_) {
    end_ += transfer.run;
    advance(transfer);
  }
  cut_ = ((address_ & ~within_beat) / burst_bytes_ + 1) * burst_bytes_;
  return true;
}

std::size_t BurstCursor::take(std::span<Burst> bursts, Beats& left) {
  std::size_t count = 0;
  while (count < bursts.size() && take(bursts[count], left)) ++count;
  return count;
}

}  // namespace macaw::npu::timed
