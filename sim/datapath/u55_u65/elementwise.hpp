#pragma once
#include "sim/datapath/output_rows.hpp"

namespace macaw::npu {

/// One elementwise operation of U55 or U65 over the whole OFM. `ifm2` is null for unary operations and for a scalar
/// operand. Both operands are read before anything is written, so that the OFM may overlap either. `scalar`: use only
/// the plain loop.
[[nodiscard]] Result<void> elementwise(const BlockOperation& operation, const FeatureMapView& ifm,
                                       const FeatureMapView* ifm2, bool scalar, OutputRows& out);

}  // namespace macaw::npu
