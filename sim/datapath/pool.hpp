#pragma once
#include "sim/datapath/output_rows.hpp"

namespace macaw::npu {

/// Every pooling mode except NONE, over the whole OFM.
[[nodiscard]] Result<void> pool(const BlockOperation& operation, const FeatureMapView& ifm, OutputRows& out);

/// U85 POOL NONE: the initial accumulators are the result.
void pass_accumulators(const BlockOperation& operation, OutputRows& out);

}  // namespace macaw::npu
