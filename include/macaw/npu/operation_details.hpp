#pragma once
#include <array>
#include <cstdint>
#include <optional>
#include <string>

namespace macaw::npu {

/// The weight streams of an operation, all cores and decoders together.
struct WeightFigures {
  std::uint64_t encoded = 0;   ///< bytes of the streams
  std::uint64_t count = 0;     ///< weights that the operation uses, without padding; one byte each before encoding
  std::uint64_t zeros = 0;     ///< of these
  std::uint32_t checksum = 0;  ///< of the streams' bytes (FNV-1a); operations with the same weights have the same
};

/// Shares of the multipliers that do useful work while the MAC array is active. Their product is the total share:
/// multiply-accumulates over active cycles times MACs per cycle of the array.
struct LaneShares {
  double channels = 1;   ///< OFM channels over OFM channels rounded up to micro-blocks
  double positions = 1;  ///< OFM height and width, likewise
  double inputs = 1;     ///< IFM channels over IFM channels rounded up to the channels of a step
  double bits = 1;       ///< 8 over the bits of the IFM
  double kernel = 1;     ///< the remainder: taps in groups, one input channel per output; above 1 with 2:4 sparsity

  [[nodiscard]] double product() const { return channels * positions * inputs * bits * kernel; }
};

/// A block operation as its registers describe it, with the model's costs that determine its time. Feature maps are
/// height, width, channels; pairs are vertical, horizontal.
struct OperationDetails {
  std::string mode;  ///< of a pooling, elementwise or resize operation: "MAX", "MUL"; empty for a convolution
  std::array<int, 3> ifm{}, ofm{};
  std::optional<std::array<int, 3>> ifm2;  ///< absent: none, or a scalar
  int ifm_bits = 8, ofm_bits = 8;
  std::array<int, 2> kernel{1, 1};  ///< taps, without the gaps of a dilation
  std::array<int, 2> stride{1, 1}, dilation{1, 1};
  std::string upscale;         ///< "NEAREST", "ZEROS"; empty: the IFM is not enlarged
  bool table = false;          ///< the result goes through a table, a sigmoid or a tanh
  std::array<int, 3> block{};  ///< of the OFM
  std::array<int, 3> ublock{};
  int granule = 0;                  ///< OFM channels that the MAC array computes at once, all cores
  std::uint64_t mac_cycles = 0;     ///< cycles in which the MAC array is active, by the block walk
  std::optional<LaneShares> lanes;  ///< of an operation with multiply-accumulates
  /// Cycles of the output unit per OFM element, the timing constant (`macaw list params`) that they come from, and the
  /// number of channels that it processes at once.
  double output_cycles = 0;
  std::string output_rule;
  int output_lanes = 1;
  std::optional<WeightFigures> weights;  ///< absent: the operation reads none, or they are not constants
};

}  // namespace macaw::npu
