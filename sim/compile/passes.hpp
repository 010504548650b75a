#pragma once
#include "sim/compile/network.hpp"

// Passes after lowering, in the order in which they run.
namespace macaw::npu {

/// Layouts (bricks where nothing sees the bytes), strides and sizes of all feature maps, then addresses in the arena by
/// lifetime: largest first, at the lowest place that is free while it lives. Sets Network::arena_size.
[[nodiscard]] Result<void> place_tensors(Network& network);

/// Fills the feature map registers of every layer for its first batch item.
void describe_feature_maps(Network& network);

/// Block size, accumulator format and SHRAM layout of every layer.
[[nodiscard]] Result<void> choose_blocks(Network& network);

/// Orders and compresses weights, writes the scale streams, both into Network::constants.
[[nodiscard]] Result<void> encode_constants(Network& network);

/// The command words of the network.
[[nodiscard]] Result<std::vector<std::uint32_t>> emit(const Network& network);

}  // namespace macaw::npu
