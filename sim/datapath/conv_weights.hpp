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

/// Weights of a CONV or DEPTHWISE in the form that its kernel takes: as they are for the plain loops, or packed.
using ConvWeights = std::variant<Uncleared<std::int16_t>, GemmWeights, ByteWeights, TapWeights>;

/// The form that is best for the operation on this processor, of OHWI weights (for DEPTHWISE [ofm.c][taps]). `scalar`
/// keeps the weights as they are.
[[nodiscard]] ConvWeights pack_conv_weights(const BlockOperation& operation, Uncleared<std::int16_t> ohwi, bool scalar);

[[nodiscard]] std::size_t byte_size(const ConvWeights& weights);

/// Whether the inputs of an operation can stay bytes, with the zero point's share in the sums: 8-bit elements whose
/// zero point is one of their values. They are numbered from the least on.
[[nodiscard]] bool stays_bytes(const FeatureMap& ifm);
/// The byte that stands for the zero point.
[[nodiscard]] std::uint8_t zero_byte(const FeatureMap& ifm);

}  // namespace macaw::npu
