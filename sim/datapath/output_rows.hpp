#pragma once
#include "sim/datapath/activation.hpp"
#include "sim/datapath/feature_map.hpp"
#include "sim/datapath/requantize.hpp"
#include "sim/datapath/scale_stream.hpp"
#include "sim/datapath/u85/activation.hpp"

#include <optional>
#include <span>
#include <variant>
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

/// The activation stage of either family.
using OutputStage = std::variant<ActivationStage, ActivationStageU85>;

/// The OFM with the extents that it has in memory: U85 can exchange its axes on the way out (u85 3.7).
[[nodiscard]] FeatureMap stored_ofm(const BlockOperation& operation);

/// The last part of an operation: rows of accumulators or scaled values through activation into the OFM.
class OutputRows {
 public:
  /// `ofm` has the stored extents; without it nothing is written.
  OutputRows(OutputStage stage, const BlockOperation& operation, std::optional<FeatureMapView> ofm);
  OutputRows(OutputStage stage, const BlockOperation& operation, const FeatureMapView& ofm)
      : OutputRows(std::move(stage), operation, std::optional(ofm)) {}

  /// Where the scaled values [w][c] of the next row go.
  [[nodiscard]] std::span<std::int64_t> row() { return row_; }
  void store(int y);

  /// Row y from accumulators [w][c] with pixels `stride` apart: continues those of start_from(), then scales and stores
  /// or keeps them.
  template <class Acc>
  void store(int y, const Acc* accumulators, std::ptrdiff_t stride, const ChannelScaling& scaling);

  /// Accumulators [h][w][c] that the operation continues.
  void start_from(std::vector<std::int64_t> accumulators) { initial_ = std::move(accumulators); }
  /// Rows go, neither biased nor scaled, to `accumulators` [h][w][c] and not to the OFM.
  void keep_in(std::vector<std::int64_t>& accumulators) { kept_ = &accumulators; }

  /// To be called after the last row.
  void finish();

  /// Bit 0 of the last element.
  [[nodiscard]] bool result_flag() const { return !row_.empty() && (row_.back() & 1) != 0; }

 private:
  OutputStage stage_;
  std::optional<FeatureMapView> ofm_;
  Hwc extents_;  ///< in the order of the operation
  int reverse_, transpose_;
  std::vector<std::int64_t> row_, sums_;
  std::vector<std::int64_t> whole_;  ///< all rows, when axes are exchanged or reversed
  std::vector<std::int64_t> initial_;
  std::vector<std::int64_t>* kept_ = nullptr;
};

/// Bits of an accumulator.
[[nodiscard]] constexpr int accumulator_bits(AccFormat format) {
  return format == AccFormat::kI40 ? 40 : format == AccFormat::kI48 ? 48 : 32;
}

}  // namespace macaw::npu
