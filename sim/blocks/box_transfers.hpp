#pragma once
#include <macaw/npu/operation.hpp>
#include "sim/blocks/box.hpp"
#include "sim/blocks/transfer.hpp"

namespace macaw::npu {

/// How the pixels of an NHWC box are split into runs (NHCWB16 boxes always consist of whole brick rows): the channels
/// of a pixel in one run, or in chunks of `chunk` elements. Contiguous pixels of a row form one run if `join` is set;
/// with chunks only if the box has no more than 16 channels.
struct PixelRuns {
  int chunk = 0;     ///< 0: no chunks
  bool join = true;  ///< contiguous pixels form one run
};

/// Appends the traffic of `box` of feature map `fm`: at most one piece per tile (two with chunks), addresses by tile.
/// NHCWB16 moves whole bricks of 16 channels. Rules: timing 2.2, 2.4, 6.2. Nothing is appended for a
/// feature map that is not in memory.
void append_box(TransferList& list, Channel channel, const FeatureMap& fm, const Box& box, PixelRuns runs);

}  // namespace macaw::npu
