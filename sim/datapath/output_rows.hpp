#pragma once
#include "sim/datapath/fast/output_lanes.hpp"
#include "sim/datapath/feature_map.hpp"
#include "sim/datapath/requantize.hpp"
#include "sim/datapath/scale_stream.hpp"
#include "sim/datapath/u55_u65/activation.hpp"
#include "sim/datapath/u85/activation.hpp"
#include "sim/datapath/workers.hpp"

#include <array>
#include <memory>
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

  /// The same for vector lanes; nullopt unless accumulators have 32 bits and every result fits 64.
  [[nodiscard]] std::optional<std::vector<LaneChannel>> lane_channels() const;

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

/// The activation stage of each generation.
using OutputStage = std::variant<ActivationStage, ActivationStageU85>;

/// Returns the axis of the operation (0 H, 1 W, 2 C) for each stored axis, by the code of activation_transpose.
[[nodiscard]] const std::array<int, 3>& stored_axes(int transpose);
/// Returns the OFM with its extents in memory: U85 can transpose it when it is stored (u85 3.7).
[[nodiscard]] FeatureMap stored_ofm(const BlockOperation& operation);

/// Intermediate results of an operation before they are written to the OFM, [h][w][c].
struct Stages {
  std::vector<std::int64_t> accumulators;  ///< without bias; empty unless the operation accumulates
  std::vector<std::int64_t> scaled;        ///< before zero point and activation
};

/// The last part of an operation: passes rows of accumulators or scaled values through the activation into the OFM.
/// Rows may be computed concurrently, with one RowWriter per thread.
class OutputRows {
 public:
  /// `ofm` has the stored extents; without it nothing is written.
  OutputRows(OutputStage stage, const BlockOperation& operation, std::optional<FeatureMapView> ofm);

  /// Sets how accumulators are scaled. Scaling and activation use vector lanes where these are exact, unless `scalar`
  /// is set.
  void scale_with(ChannelScaling scaling, bool scalar);

  [[nodiscard]] bool in_lanes() const { return lanes_.has_value(); }

  /// Sets accumulators [h][w][c] that the operation continues with its own reduction: a pool MAX keeps the larger of
  /// the two values, MIN the smaller, every other operation adds them.
  void start_from(std::vector<std::int64_t> accumulators) { initial_ = std::move(accumulators); }
  /// Stores rows without bias and scale in `accumulators` [h][w][c] instead of the OFM.
  void keep_in(std::vector<std::int64_t>& accumulators) { kept_ = &accumulators; }

  /// Sets the threads that share the rows; null: the caller computes all rows.
  void share_with(Workers* workers) { workers_ = workers; }
  [[nodiscard]] Workers* workers() const { return workers_; }
  /// Whether rows are computed, not only checked.
  [[nodiscard]] bool computes() const { return workers_ != &Workers::check_only(); }
  /// Calls fn(first, end, writer) for ranges of rows that together cover the OFM.
  template <class Fn>
  void for_rows(Fn&& fn);
  /// Appends all rows to `stages` as well, in order; they are then not shared between threads.
  void show_in(Stages& stages) { stages_ = &stages; }

  /// Must be called after the last row.
  void finish();

  /// Bit 0 of the last element.
  [[nodiscard]] bool result_flag() const { return result_flag_; }

 private:
  friend class RowWriter;

  /// How the accumulators that the operation continues are combined with its own.
  enum class Merge : std::uint8_t { kAdd, kMax, kMin };
  [[nodiscard]] static Merge merge(const BlockOperation& operation);
  [[nodiscard]] std::int64_t merged(std::int64_t initial, std::int64_t own) const;

  OutputStage stage_;
  std::optional<FeatureMapView> ofm_;
  FeatureMap type_;  ///< of the OFM's elements
  Hwc extents_;      ///< in the order of the operation
  int reverse_, transpose_;
  Merge merge_;
  std::optional<ChannelScaling> scaling_;
  std::optional<OutputLanes> lanes_;
  std::vector<std::int64_t> whole_;  ///< all rows, if axes are transposed or reversed
  std::vector<std::int64_t> initial_;
  std::vector<std::int64_t>* kept_ = nullptr;
  Workers* workers_ = nullptr;
  bool result_flag_ = false;
  Stages* stages_ = nullptr;
};

/// Writes rows of one thread to the OFM.
class RowWriter {
 public:
  explicit RowWriter(OutputRows& out) : out_(&out) {}

  /// Returns the buffer for the scaled values [w][c] of the next row.
  [[nodiscard]] std::span<std::int64_t> row();
  void store(int y);

  /// Row y from accumulators [w][c] with pixels `stride` apart: combines them with those of start_from(), then scales
  /// and stores or keeps them. The stride of 32-bit accumulators is a multiple of kGemmChannels.
  template <class Acc>
  void store(int y, const Acc* accumulators, std::ptrdiff_t stride);

 private:
  void store_lanes(int y, const std::int32_t* accumulators, std::ptrdiff_t stride);

  OutputRows* out_;
  std::vector<std::int64_t> row_, sums_;
  std::unique_ptr<std::uint8_t[]> elements_;
};

template <class Fn>
void OutputRows::for_rows(Fn&& fn) {
  share(workers_, extents_.h, [&](int first, int end) {
    RowWriter writer(*this);
    fn(first, end, writer);
  });
}

/// Bits of an accumulator.
[[nodiscard]] constexpr int accumulator_bits(AccFormat format) {
  return format == AccFormat::kI40 ? 40 : format == AccFormat::kI48 ? 48 : 32;
}

}  // namespace macaw::npu
