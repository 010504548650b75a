#pragma once
#include <macaw/npu/operation.hpp>
#include "sim/datapath/bits.hpp"
#include "sim/datapath/gemm.hpp"

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace macaw::npu {

/// Bias and scale of a channel with a 32-bit accumulator whose product and rounding fit 64 bits.
struct LaneChannel {
  std::int32_t bias = 0, scale = 0;
  int shift = 0;
  std::int64_t round = 0, round_negative = 0;  ///< added to products of values >= 0, and of negative values
};

/// An activation that only adds a zero point and clamps within the OFM's type, optionally followed by a table of bytes.
struct LaneActivation {
  std::int32_t zero_point = 0, low = 0, high = 0;
  std::vector<std::uint8_t> table = {};  ///< by the bit pattern of the clamped byte; empty without an activation table

  /// nullopt if the bounds are not values of the type. The first of `entries` belongs to the minimum of the type.
  [[nodiscard]] static std::optional<LaneActivation> create(const FeatureMap& ofm, std::int64_t zero_point,
                                                            IntRange bounds, std::span<const std::uint8_t> entries);
};

/// The output stage of an operation in vector lanes: 32-bit accumulators to OFM elements, exactly as ChannelScaling and
/// the activation stage compute them.
class OutputLanes {
 public:
  OutputLanes(std::span<const LaneChannel> channels, const LaneActivation& activation, int bits, bool is_signed);

  /// Bytes that apply() may write for a row of pixels: it writes whole vectors.
  [[nodiscard]] std::size_t row_bytes(int pixels) const;

  /// Elements [pixels][channels] of the OFM's type. Pixels of `accumulators` are `stride` apart, at least the number of
  /// channels rounded up to kGemmChannels.
  void apply(const std::int32_t* accumulators, int pixels, std::ptrdiff_t stride, std::uint8_t* out) const;
  /// The same by a plain loop, on any processor.
  void apply_scalar(const std::int32_t* accumulators, int pixels, std::ptrdiff_t stride, std::uint8_t* out) const;

  /// Data layout of the kernels: channels in blocks of kGemmChannels; in a block of 64-bit values, the even channels
  /// precede the odd ones.
  struct Constants {
    int channels = 0;
    bool by_sign = false;     ///< rounding of negative values differs
    bool high_words = false;  ///< every shift is 32 or more: results are high words, shifted by `word_shift`
    std::vector<std::int32_t> bias, scale, word_shift;
    std::vector<std::int64_t> shift, round, round_negative;
    std::int64_t least = 0, most = 0;  ///< clamp bounds before the zero point is added
    std::int32_t zero_point = 0;
  };

 private:
  void look_up(std::uint8_t* bytes, std::size_t count) const;

  Constants constants_;
  int bits_;
  bool signed_;
  std::vector<std::uint8_t> table_;
};

}  // namespace macaw::npu
