#pragma once
#include <macaw/npu/operation.hpp>
#include "sim/blocks/box.hpp"
#include "sim/blocks/transfer.hpp"

namespace macaw::npu {

/// How the pixels of an NHWC box are cut into runs (NHCWB16 boxes are whole brick rows in every case): the channels of
/// a pixel in one run, or in chunks of this many elements. Pixels that touch make one run of a row unless they are kept
/// apart; with chunks only if the box has no more than 16 channels.
struct PixelRuns {
  int chunk = 0;     ///< 0: no chunks
  bool join = true;  ///< pixels that touch make one run
};

/// Appends the traffic of `box` of feature map `fm`: at most one piece per tile (two with chunks), addresses by tile.
/// NHCWB16 moves whole bricks of 16 channels. Rules: timing 2.2, 2.4, 6.2. Nothing is appended for a
/// feature map that is not in memory.
void append_box(TransferList& list, Channel channel, const FeatureMap& fm, const Box& box, PixelRuns runs);

}  // namespace macaw::npu
