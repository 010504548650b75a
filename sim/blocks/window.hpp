#pragma once
#include <macaw/npu/operation.hpp>
#include "sim/blocks/box.hpp"
#include "sim/blocks/sub_kernel.hpp"

namespace macaw::npu {

/// IFM rows and columns that the taps of `piece` need for OFM block `ofm`, clipped to the IFM; channels are [c0, c1).
/// Every row and column of the window counts, including those that a stride or a dilation skips. May be empty. Rule:
/// timing 2.2; upscaling on U85 is assumed to follow it.
[[nodiscard]] Box ifm_window(const BlockOperation& op, const Box& ofm, const SubKernel& piece, int c0, int c1);

/// IFM of a RESIZE for OFM block `ofm` (timing 6.8, found on one operation): two rows for each end of the block
/// also where the edge clamps them to one; columns clamped.
[[nodiscard]] Box resize_window(const BlockOperation& op, const Box& ofm);

/// Box of the OFM block in the coordinates of memory, after reverse and transpose (u85 3.7).
[[nodiscard]] Box stored_box(const BlockOperation& op, const Box& ofm);

}  // namespace macaw::npu
