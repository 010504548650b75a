#pragma once
#include "sim/datapath/output_rows.hpp"

namespace macaw::npu {

/// One elementwise operation of U85 over the whole OFM. `ifm` is null if it is the scalar; so is `ifm2`, and for unary
/// operations. `scalar`: by the plain loop alone.
[[nodiscard]] Result<void> elementwise_u85(const BlockOperation& operation, const FeatureMapView* ifm,
                                           const FeatureMapView* ifm2, bool scalar, OutputRows& out);

}  // namespace macaw::npu
