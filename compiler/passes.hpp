#pragma once
#include "compiler/network.hpp"

// Passes after lowering, in the order in which they run.
namespace macaw::npu {

/// Chooses layouts (bricks where no consumer needs the byte order), strides and sizes of all feature maps, then
/// addresses by lifetime: first in `fast_memory` bytes of fast scratch (place_in_fast_scratch()), then the rest in the
/// arena, largest first, at the lowest address that is free during the lifetime. Sets Network::arena_size and
/// fast_size.
[[nodiscard]] Result<void> place_tensors(Network& network, std::uint64_t fast_memory);

/// Places the maps between the layers for which access to the memory of the arena would take longest, for their size
/// and lifetime, in at most `fast_memory` bytes of fast scratch. Inputs, outputs and variables stay in the arena. Sizes
/// and lifetimes of the storages are set.
void place_in_fast_scratch(Network& network, std::uint64_t fast_memory);

/// Fills the feature map registers of every operation and the addresses of every DMA job.
void describe_feature_maps(Network& network);

/// Chooses the block size, U85 micro-block, and U55/U65 SHRAM layout of every block operation.
[[nodiscard]] Result<void> choose_blocks(Network& network);

/// Orders and compresses weights, writes the scale streams, both into Network::constants.
[[nodiscard]] Result<void> encode_constants(Network& network);

/// Returns the command words of the network.
[[nodiscard]] Result<CommandList> emit(const Network& network);

}  // namespace macaw::npu
