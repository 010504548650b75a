#pragma once
#include "sim/datapath/activation.hpp"
#include "sim/datapath/feature_map.hpp"
#include "sim/datapath/requantize.hpp"
#include "sim/datapath/scale_stream.hpp"

#include <span>
#include <vector>

namespace macaw::npu {

/// Bias and scale of every OFM channel, ready for use: a stream, or one OFM_SCALE for all.
class ChannelScaling {
 public:
  /// One scale for every channel, no bias.
  ChannelScaling(const Scaling& scaling, int channels, int accumulator_bits);
  /// Entries of a stream; rounding is that of OFM_PRECISION.
  ChannelScaling(std::span<const ChannelScale> entries, Rounding rounding, int accumulator_bits);

  /// Adds bias to `pixels` rows of accumulators (`stride` apart), wraps to the accumulator's width and scales.
  template <class Acc>
  void apply(const Acc* accumulators, int pixels, std::ptrdiff_t stride, std::int64_t* out) const;

 private:
  struct Channel {
    std::int64_t bias, scale, round, round_negative;
    int shift;
  };
  void add(const ChannelScale& entry, Rounding rounding, int dbl);

  std::vector<Channel> channels_;
  int accumulator_bits_;
  bool fits64_ = true;  ///< every product of a wrapped accumulator and a scale, rounded, fits 64 bits
};

/// The last part of an operation: rows of scaled values through activation into the OFM.
class OutputRows {
 public:
  OutputRows(ActivationStage activation, const FeatureMapView& ofm) : activation_(std::move(activation)), ofm_(ofm) {
    row_.resize(static_cast<std::size_t>(ofm.map().w) * static_cast<std::size_t>(ofm.map().c));
  }

  /// Where the scaled values [w][c] of the next row go.
  [[nodiscard]] std::span<std::int64_t> row() { return row_; }
  void store(int y) {
    activation_.apply(row_);
    ofm_.write_row(y, row_.data());
  }
  [[nodiscard]] const FeatureMap& ofm() const { return ofm_.map(); }

 private:
  ActivationStage activation_;
  FeatureMapView ofm_;
  std::vector<std::int64_t> row_;
};

/// Bits of an accumulator.
[[nodiscard]] constexpr int accumulator_bits(AccFormat format) {
  return format == AccFormat::kI40 ? 40 : format == AccFormat::kI48 ? 48 : 32;
}

}  // namespace macaw::npu
