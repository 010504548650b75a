#pragma once
#include "sim/datapath/output_rows.hpp"

namespace macaw::npu {

/// Every pooling mode but NONE over the whole OFM.
[[nodiscard]] Result<void> pool(const BlockOperation& operation, const FeatureMapView& ifm, OutputRows& out);

/// U85 POOL NONE: the accumulators that the operation starts from are its result.
void pass_accumulators(const BlockOperation& operation, OutputRows& out);

}  // namespace macaw::npu
