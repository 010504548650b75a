#pragma once
#include "sim/datapath/output_rows.hpp"

namespace macaw::npu {

/// RESIZE of U85 over the whole OFM (u85 6.9). The IFM's extents are the kernel registers.
[[nodiscard]] Result<void> resize(const BlockOperation& operation, const FeatureMapView& ifm, OutputRows& out);

}  // namespace macaw::npu
