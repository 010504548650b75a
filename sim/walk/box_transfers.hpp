#pragma once
#include "sim/isa/operation.hpp"
#include "sim/walk/box.hpp"
#include "sim/walk/transfer.hpp"

namespace macaw::npu {

/// How the NPU cuts the pixels of an NHWC box into runs (NHCWB16 boxes are whole brick rows in every case).
enum class PixelRuns : std::uint8_t {
  kWhole,   ///< U55/U65 reads: the channels of a pixel are one run; pixels that touch make one run of a row
  kChunks,  ///< U55/U65 writes: chunks of `chunk` elements, except rows whose pixels touch and fit in 16 elements
};

/// Appends the traffic of `box` of feature map `fm`: at most one piece per tile (two with kChunks), addresses by tile.
/// NHCWB16 moves whole bricks of 16 channels. Walk rules 2.2 and 2.4.
void append_box(TransferList& list, Channel channel, const FeatureMap& fm, const Box& box, PixelRuns runs, int chunk);

}  // namespace macaw::npu
