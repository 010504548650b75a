#pragma once
#include "compiler/network.hpp"

#include <optional>

// Functions shared by the block searches.
namespace macaw::npu {

inline constexpr int kSubKernel = 8;  ///< the array takes at most 8 x 8 elements of a dilated kernel at a time

/// A block that fits the RAMs inside the NPU, and its cost.
struct BlockCandidate {
  Hwc block;
  int ib_end = 0, ib2_start = 0, ab_start = 0;  ///< U55/U65
  std::int64_t traffic = 0, blocks = 0;
};

/// CONV and REDUCE_SUM read the whole depth for each OFM channel; all others work channel by channel.
[[nodiscard]] bool reads_all_channels(const BlockOperation& op);
/// Computes traffic and number of blocks. `ifm_block_depth`: channels of an IFM block.
void weigh(const BlockOperation& op, int ifm_block_depth, BlockCandidate& candidate);
[[nodiscard]] bool better(const BlockCandidate& a, const BlockCandidate& b);

/// Sets block and RAM layout; false if nothing fits. `table`: an activation table is in use.
[[nodiscard]] bool choose_block_u65(const Accelerator& accelerator, BlockOperation& op, bool table);
/// Sets block and micro-block.
[[nodiscard]] bool choose_block_u85(const Accelerator& accelerator, BlockOperation& op);

}  // namespace macaw::npu
