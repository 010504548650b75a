#pragma once
#include "sim/isa/operation.hpp"
#include "sim/walk/box.hpp"
#include "sim/walk/sub_kernel.hpp"

namespace macaw::npu {

/// Extents of the IFM that the OFM implies (walk rules 1): at least 1; halved, rounded up, when upscaled.
[[nodiscard]] std::int64_t ifm_height(const BlockOperation& op);
[[nodiscard]] std::int64_t ifm_width(const BlockOperation& op);

/// IFM rows and columns that the taps of `piece` need for OFM block `ofm`, clipped to the IFM; channels [c0, c1) as given.
/// Every row and column of the window counts, also those that a stride or a dilation passes over. Possibly empty.
[[nodiscard]] Box ifm_window(const BlockOperation& op, const Box& ofm, const SubKernel& piece, int c0, int c1);

}  // namespace macaw::npu
