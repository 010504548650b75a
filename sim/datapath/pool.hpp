#pragma once
#include "sim/datapath/output_rows.hpp"

namespace macaw::npu {

/// True if the hardware divides an average by the number of valid taps and takes no other scale
/// (functional document 6.3: U55/U65 with any padding).
[[nodiscard]] bool divides_by_valid_taps(const BlockOperation& operation);

/// MAX, AVERAGE and REDUCE_SUM over the whole OFM.
[[nodiscard]] Result<void> pool(const BlockOperation& operation, const FeatureMapView& ifm,
                                const ChannelScaling& scaling, OutputRows& out);

}  // namespace macaw::npu
