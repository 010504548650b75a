#pragma once
#include "sim/sc/job.hpp"

#include <algorithm>

namespace macaw::npu::sc::u85 {

/// The units in which U85 decodes the weights of a step and multiplies them: for each group of taps the columns of
/// micro-blocks in depth (timing 8.3).
class MacUnits {
 public:
  MacUnits(const IfmBlock& step, const BlockOperation& op)
      : columns_(std::max<std::uint64_t>(step.mac.weight_blocks, 1)),
        taps_(static_cast<std::uint64_t>(std::max(step.taps, 1))),
        group_(step.mac.tap_group > 0 ? static_cast<std::uint64_t>(step.mac.tap_group) : taps_),
        cycles_(step.mac.cycles),
        // Of four sparse weights two are in the stream.
        weights_per_tap_(static_cast<std::uint64_t>(std::max(op.ublock.c, 1)) * depth(step, op) /
                         (op.sparse_weights ? 2 : 1)) {}

  [[nodiscard]] std::uint64_t columns() const { return columns_; }
  [[nodiscard]] std::uint64_t count() const { return (taps_ + group_ - 1) / group_ * columns_; }
  [[nodiscard]] bool in_last_group(std::uint64_t unit) const { return unit + columns_ >= count(); }
  /// MAC cycles; those of all units add up to the step's.
  [[nodiscard]] Cycles cycles(std::uint64_t unit) const {
    return cycles_ * taps_until(unit / columns_ + 1) / taps_ - cycles_ * taps_until(unit / columns_) / taps_;
  }
  /// Weights that the decoder delivers for it, zeros of rounded extents included.
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

}  // namespace macaw::npu::sc::u85
