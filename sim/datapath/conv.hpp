#pragma once
#include "sim/datapath/conv_weights.hpp"
#include "sim/datapath/output_rows.hpp"

namespace macaw::npu {

/// Convolution over the whole OFM.
[[nodiscard]] Result<void> convolve(const BlockOperation& operation, const FeatureMapView& ifm,
                                    const ConvWeights& weights, OutputRows& out);

/// One filter per channel.
[[nodiscard]] Result<void> convolve_depthwise(const BlockOperation& operation, const FeatureMapView& ifm,
                                              const ConvWeights& weights, OutputRows& out);

/// CONV of U85 with weights_ifm2: OFM channel o is the product with row o of IFM2 [1][ofm.c][ifm.c].
[[nodiscard]] Result<void> multiply_matrices(const BlockOperation& operation, const FeatureMapView& ifm,
                                             const FeatureMapView& ifm2, bool scalar, OutputRows& out);

}  // namespace macaw::npu
