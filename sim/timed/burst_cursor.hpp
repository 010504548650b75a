#pragma once
#include "sim/blocks/transfer.hpp"
#include "sim/timed/burst.hpp"

#include <algorithm>
#include <bit>

namespace macaw::npu::timed {

/// Splits the runs of transfers into AXI transactions, in order: at every multiple of `burst_bytes`, and after `most`
/// beats. The beats of all transactions are exactly the transfers' beats.
class BurstCursor {
 public:
  BurstCursor() = default;

  /// `join_bricks`: contiguous runs of the innermost level are split as one (U85 walk rules 2.11: the bricks of a row).
  /// `transfers` must stay valid while the cursor is used. `base` is added to the region offsets. `beat_bytes` is a
  /// power of two.
  void start(std::span<const Transfer> transfers, std::uint64_t base, std::uint32_t beat_bytes,
             std::uint32_t burst_bytes, Beats most = Beats(UINT32_MAX), bool join_bricks = false);
  /// Fills address, beats and whether words are partial; false at the end.
  [[nodiscard]] bool next(Burst& burst);
  /// Beats of the next transaction; 0 at the end.
  [[nodiscard]] Beats coming();
  /// Fills the next transaction if any of `left` beats remain, and subtracts its beats. At the end, sets `left` to 0.
  [[nodiscard]] bool take(Burst& burst, Beats& left);
  /// Fills transactions until `left` beats, which are counted down, have been taken. Returns the number of
  /// transactions; at the end, sets `left` to 0.
  [[nodiscard]] std::size_t take(std::span<Burst> bursts, Beats& left);
  /// Beats taken since start().
  [[nodiscard]] Beats beats() const { return beats_; }

  std::size_t limit = 0;  ///< index of the limit that applies to the transactions (CoreConfig::limits)

 private:
  [[nodiscard]] bool take_run();
  /// Determines the range of the next transaction; false at the end.
  [[nodiscard]] bool cut(std::uint64_t& first, std::uint64_t& limit);
  [[nodiscard]] Beats beats_between(std::uint64_t first, std::uint64_t limit) const {
    return Beats((limit - first + beat_bytes_ - 1) >> std::countr_zero(beat_bytes_));
  }
  void advance(const Transfer& transfer);

  std::span<const Transfer> transfers_;
  std::uint64_t base_ = 0;
  std::uint32_t beat_bytes_ = 8, burst_bytes_ = 64;
  Beats most_{UINT32_MAX};
  bool join_bricks_ = false;
  std::size_t transfer_ = 0;                 ///< index after the one whose runs are being read
  std::uint64_t left_ = 0;                   ///< number of its runs that are left
  std::uint64_t next_run_ = 0;               ///< address of its next run
  std::array<std::uint64_t, 3> position_{};  ///< of that run in the levels
  std::uint64_t address_ = 0, end_ = 0;      ///< rest of the current run; if empty, the next run follows
  std::uint64_t cut_ = 0;                    ///< the next multiple of burst_bytes_ in it
  Beats beats_;
};

inline bool BurstCursor::cut(std::uint64_t& first, std::uint64_t& limit) {
  if (address_ == end_ && !take_run()) return false;
  // A transaction starts on a whole beat, so that a split never counts one beat twice.
  first = address_ & ~std::uint64_t{beat_bytes_ - 1};
  if (first >= cut_) cut_ += burst_bytes_;
  limit = std::min({cut_, first + most_.count() * beat_bytes_, end_});
  return true;
}

inline bool BurstCursor::next(Burst& burst) {
  std::uint64_t limit;
  if (!cut(burst.address, limit)) return false;
  burst.beats = beats_between(burst.address, limit);
  burst.partial = ((address_ | limit) & (beat_bytes_ - 1)) != 0;
  beats_ += burst.beats;
  address_ = limit;
  return true;
}

inline bool BurstCursor::take(Burst& burst, Beats& left) {
  if (left == Beats()) return false;
  const bool taken = next(burst);
  left -= taken ? std::min(left, burst.beats) : left;
  return taken;
}

inline Beats BurstCursor::coming() {
  std::uint64_t first, limit;
  return cut(first, limit) ? beats_between(first, limit) : Beats();
}

}  // namespace macaw::npu::timed
