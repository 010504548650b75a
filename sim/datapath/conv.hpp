#pragma once
#include "sim/datapath/output_rows.hpp"

#include <cstdint>
#include <span>

namespace macaw::npu {

/// Convolution over the whole OFM; weights OHWI [ofm.c][taps_y][taps_x][ifm.c].
[[nodiscard]] Result<void> convolve(const BlockOperation& operation, const FeatureMapView& ifm,
                                    std::span<const std::int16_t> weights, const ChannelScaling& scaling,
                                    OutputRows& out);

/// One filter per channel; weights [ofm.c][taps_y][taps_x].
[[nodiscard]] Result<void> convolve_depthwise(const BlockOperation& operation, const FeatureMapView& ifm,
                                              std::span<const std::int16_t> weights, const ChannelScaling& scaling,
                                              OutputRows& out);

/// CONV of U85 with weights_ifm2: OFM channel o is the product with row o of IFM2 [1][ofm.c][ifm.c].
[[nodiscard]] Result<void> multiply_matrices(const BlockOperation& operation, const FeatureMapView& ifm,
                                             const FeatureMapView& ifm2, const ChannelScaling& scaling,
                                             OutputRows& out);

}  // namespace macaw::npu
