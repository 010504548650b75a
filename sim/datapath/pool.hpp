#pragma once
#include "sim/datapath/output_rows.hpp"

namespace macaw::npu {

/// True if the hardware divides an average by the number of valid taps, and then without OFM_SCALE: on U55/U65 if there
/// is any padding, on U85 always (u55_u65 6.3, u85 6.3).
[[nodiscard]] bool divides_by_valid_taps(const BlockOperation& operation);

/// Every pooling mode but NONE over the whole OFM.
[[nodiscard]] Result<void> pool(const BlockOperation& operation, const FeatureMapView& ifm, OutputRows& out);

/// U85 POOL NONE: the accumulators that the operation starts from are its result.
void pass_accumulators(const BlockOperation& operation, OutputRows& out);

}  // namespace macaw::npu
