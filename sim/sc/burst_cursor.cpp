#include "sim/sc/burst_cursor.hpp"

#include <algorithm>

namespace macaw::npu::sc {

void BurstCursor::start(std::span<const Transfer> transfers, std::uint64_t base, std::uint32_t beat_bytes,
                        std::uint32_t burst_bytes, Beats most, bool join_bricks) {
  transfers_ = transfers;
  base_ = base;
  beat_bytes_ = beat_bytes;
  burst_bytes_ = burst_bytes;
  most_ = std::max(most, Beats(1));
  transfer_ = 0;
  run_ = 0;
  address_ = end_ = 0;
  beats_ = {};
  join_bricks_ = join_bricks;
}

bool BurstCursor::next(Burst& burst) {
  if (address_ == end_) {
    while (transfer_ < transfers_.size() && run_ == transfers_[transfer_].runs()) {
      ++transfer_;
      run_ = 0;
    }
    if (transfer_ == transfers_.size()) return false;
    const Transfer& transfer = transfers_[transfer_];
    address_ = base_ + transfer.run_address(run_++);
    end_ = address_ + transfer.run;
    // Whole bricks only: joining runs must not change their beats.
    const bool join = join_bricks_ && address_ % beat_bytes_ == 0 && transfer.run % beat_bytes_ == 0;
    while (join && run_ % transfer.levels[0].count != 0 && base_ + transfer.run_address(run_) == end_) {
      end_ += transfer.run;
      ++run_;
    }
  }
  // A transaction starts on a whole beat, so that a cut never makes two beats of one.
  const std::uint64_t first = address_ / beat_bytes_ * beat_bytes_;
  std::uint64_t limit = (first / burst_bytes_ + 1) * burst_bytes_;
  limit = std::min(limit, first + most_.count() * beat_bytes_);
  limit = std::min(limit, end_);
  burst.address = first;
  burst.beats = Beats((limit - first + beat_bytes_ - 1) / beat_bytes_);
  beats_ += burst.beats;
  address_ = limit;
  return true;
}

}  // namespace macaw::npu::sc
