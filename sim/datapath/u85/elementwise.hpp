#pragma once
#include "sim/datapath/output_rows.hpp"

namespace macaw::npu {

/// One elementwise operation of U85 over the whole OFM. `ifm` is null if it is a scalar; `ifm2` is null if it is a
/// scalar or the operation is unary. `scalar`: use only the plain loop.
[[nodiscard]] Result<void> elementwise_u85(const BlockOperation& operation, const FeatureMapView* ifm,
                                           const FeatureMapView* ifm2, bool scalar, OutputRows& out);

}  // namespace macaw::npu
