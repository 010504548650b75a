#pragma once
#include <macaw/npu/operation.hpp>
#include "sim/datapath/fast/byte_product.hpp"
#include "sim/datapath/fast/depthwise_sums.hpp"
#include "sim/datapath/gemm.hpp"
#include "sim/datapath/uncleared.hpp"

#include <span>
#include <variant>
#include <vector>

namespace macaw::npu {

/// Weights of a CONV or DEPTHWISE in the form that its kernel reads: unchanged for the plain loops, or packed.
using ConvWeights = std::variant<Uncleared<std::int16_t>, GemmWeights, ByteWeights, TapWeights>;

/// Packs OHWI weights (for DEPTHWISE [ofm.c][taps]) in the best form for the operation on this processor. `scalar`
/// keeps the weights unchanged.
[[nodiscard]] ConvWeights pack_conv_weights(const BlockOperation& operation, Uncleared<std::int16_t> ohwi, bool scalar);

[[nodiscard]] std::size_t byte_size(const ConvWeights& weights);

/// Whether the inputs of an operation can stay bytes, with the zero point accounted for in the sums: 8-bit elements
/// whose zero point is one of their values. Bytes are numbered from the minimum of the type.
[[nodiscard]] bool stays_bytes(const FeatureMap& ifm);
/// The byte that represents the zero point.
[[nodiscard]] std::uint8_t zero_byte(const FeatureMap& ifm);

}  // namespace macaw::npu
