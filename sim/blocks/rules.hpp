#pragma once
#include <macaw/npu/accelerator.hpp>

#include <macaw/npu/operation.hpp>
#include "sim/blocks/box_transfers.hpp"
#include "sim/blocks/retention.hpp"
#include "sim/blocks/sub_kernel.hpp"
#include "sim/blocks/transfer.hpp"

namespace macaw::npu {

/// Differences between the generations in the walk of one operation.
struct WalkRules {
  SubKernels::Cut cut = SubKernels::Cut::kBothAxes;
  bool serpentine = false;          ///< the IFM depth blocks change direction with every OFM block
  bool retain_by_position = false;  ///< key of a kept IFM block: position of the OFM block instead of the clipped
                                    ///< window
  bool refresh = false;             ///< a kept IFM block becomes the newest when it is used
  int retained = 0;                 ///< IFM blocks kept, at most
  std::int64_t ifm_ram_bytes = 0;   ///< limit on the size of the kept blocks; 0: none
  PixelRuns reads, writes;
  Channel elementwise_reads = Channel::kReadIfm;
  int weight_streams = 1, scale_streams = 1;
};
[[nodiscard]] WalkRules walk_rules(const BlockOperation& op, const Accelerator& accelerator);

/// Elementwise and resize operations have no depth blocks and no split kernel.
[[nodiscard]] bool one_step(const BlockOperation& op);

/// Depthwise and pooling do not combine channels: an IFM block has the channels of its OFM block.
[[nodiscard]] bool keeps_channels(const BlockOperation& op);

}  // namespace macaw::npu
