#pragma once
#include "sim/timed/job.hpp"

#include <algorithm>

namespace macaw::npu::timed::u85 {

/// How an OFM block passes from the MAC array to the output unit (timing 8.3): in its last group of taps the MAC array
/// proceeds position by position over a band of columns, so that the band is completed row by row. A band is a brick of
/// 16 channels.
class Bands {
 public:
  static constexpr std::uint64_t kBrick = 16;

  Bands(const OfmBlock& block, const BlockOperation& op)
      : lines_(static_cast<std::uint64_t>(std::max(block.box.h(), 1))),
        ublock_h_(static_cast<std::uint64_t>(std::max(op.ublock.h, 1))),
        ublock_c_(static_cast<std::uint64_t>(std::max(op.ublock.c, 1))),
        columns_(std::max<std::uint64_t>(block.ublocks_c, 1)),
        width_(std::max<std::uint64_t>(kBrick / ublock_c_, 1)) {}

  /// Columns of the band that starts with `column`.
  [[nodiscard]] std::uint64_t columns_from(std::uint64_t column) const { return std::min(width_, columns_ - column); }
  [[nodiscard]] std::uint64_t channel(std::uint64_t column) const { return column * ublock_c_; }
  [[nodiscard]] std::uint64_t rows() const { return (lines_ + ublock_h_ - 1) / ublock_h_; }
  [[nodiscard]] std::uint64_t parts() const { return (columns_ + width_ - 1) / width_ * rows(); }
  [[nodiscard]] std::uint64_t lines() const { return lines_; }
  /// Elements of the OFM block in its first `rows` rows of micro-blocks.
  [[nodiscard]] std::uint64_t lines_until(std::uint64_t rows) const { return std::min(lines_, rows * ublock_h_); }

 private:
  std::uint64_t lines_, ublock_h_, ublock_c_, columns_, width_;
};

/// The units in which U85 decodes the weights of a step and multiplies them: for each group of taps the columns of
/// micro-blocks in depth (timing 8.3).
class MacUnits {
 public:
  MacUnits(const IfmBlock& step, const BlockOperation& op)
      : columns_(std::max<std::uint64_t>(step.mac.weight_blocks, 1)),
        taps_(static_cast<std::uint64_t>(std::max(step.taps, 1))),
        group_(step.mac.tap_group > 0 ? static_cast<std::uint64_t>(step.mac.tap_group) : taps_),
        cycles_(step.mac.cycles),
        // Two of four sparse weights are in the stream.
        weights_per_tap_(static_cast<std::uint64_t>(std::max(op.ublock.c, 1)) * depth(step, op) /
                         (op.sparse_weights ? 2 : 1)) {}

  [[nodiscard]] std::uint64_t columns() const { return columns_; }
  [[nodiscard]] std::uint64_t count() const { return (taps_ + group_ - 1) / group_ * columns_; }
  [[nodiscard]] bool in_last_group(std::uint64_t unit) const { return unit + columns_ >= count(); }
  /// MAC cycles; those of all units add up to the step's.
  [[nodiscard]] Cycles cycles(std::uint64_t unit) const {
    return cycles_ * taps_until(unit / columns_ + 1) / taps_ - cycles_ * taps_until(unit / columns_) / taps_;
  }
  /// Weights that the decoder delivers for the unit, including zeros of rounded extents.
  [[nodiscard]] std::uint64_t weights(std::uint64_t unit) const {
    return weights_per_tap_ * (taps_until(unit / columns_ + 1) - taps_until(unit / columns_));
  }
  /// Weights of the units before it.
  [[nodiscard]] std::uint64_t weights_until(std::uint64_t unit) const {
    const std::uint64_t group = unit / columns_;
    const std::uint64_t whole = weights_per_tap_ * columns_ * taps_until(group);
    return unit % columns_ == 0 ? whole : whole + unit % columns_ * weights(unit);
  }

 private:
  [[nodiscard]] std::uint64_t taps_until(std::uint64_t group) const { return std::min(group * group_, taps_); }
  static std::uint64_t depth(const IfmBlock& step, const BlockOperation& op) {
    return op.kind == OpKind::kConv ? (static_cast<std::uint64_t>(std::max(step.box.c(), 1)) + 15) / 16 * 16 : 1;
  }

  std::uint64_t columns_, taps_, group_;
  Cycles cycles_;
  std::uint64_t weights_per_tap_;
};

}  // namespace macaw::npu::timed::u85
