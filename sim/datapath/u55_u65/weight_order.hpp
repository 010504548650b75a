#pragma once
#include "sim/datapath/bits.hpp"
#include "sim/datapath/weight_order.hpp"

#include <algorithm>

// The order in which U55 and U65 consume weights (u55_u65 4.2).
namespace macaw::npu {

/// Derived extents of the traversal.
struct TraversalU55 {
  int ifm_block, round, core_block, core_depth;

  TraversalU55(const WeightGeometry& g, int stream)
      : ifm_block(g.ifm_block_depth()),
        round(g.depthwise           ? 4
              : g.part_kernel_first ? (g.ifm_bits == 16 ? 2 : 4)
                                    : 1),
        core_block(std::max(1, static_cast<int>(ceil_div(g.block_depth - stream, g.streams)))),
        core_depth(g.ofm_depth > stream ? static_cast<int>(ceil_div(g.ofm_depth - stream, g.streams)) : 0) {}
};

/// Visits the weights of one U55/U65 stream in consumption order, in runs: visit(OHWI index of the first weight, number
/// of weights that are consecutive there, number of symbols, of which the rest are padding).
template <class Visit>
void traverse_u55(const WeightGeometry& g, int stream, Visit visit) {
  const TraversalU55 t(g, stream);
  const bool part_kernel = g.part_kernel_first && !g.depthwise;
  const int ofm_ublock = g.ofm_ublock_depth, ifm_ublock = g.ifm_ublock_depth;
  const int sub_h = std::max(1, g.decomposition / g.dilation_y), sub_w = std::max(1, g.decomposition / g.dilation_x);
  const std::int64_t tap_stride = g.ifm_depth;
  const std::int64_t row_stride = tap_stride * g.taps_x;
  const std::int64_t channel_stride = row_stride * g.taps_y;
  const int inner_depth = g.depthwise ? 1 : ifm_ublock;

  for (int ob = 0; ob < t.core_depth; ob += t.core_block) {
    const int nob = std::min(t.core_block, t.core_depth - ob);
    for (int ib = 0; ib < (g.depthwise ? 1 : g.ifm_depth); ib += t.ifm_block) {
      const int nib = g.depthwise ? ifm_ublock : part_kernel ? std::min(t.ifm_block, g.ifm_depth - ib) : t.ifm_block;
      for (int sy = 0; sy < g.taps_y; sy += sub_h) {
        const int sh = std::min(g.taps_y - sy, sub_h);
        for (int sx = 0; sx < g.taps_x; sx += sub_w) {
          const int sw = std::min(g.taps_x - sx, sub_w);
          const int elements = static_cast<int>(round_up(std::int64_t{sh} * sw, t.round));
          for (int io = 0; io < (part_kernel ? nib : 1); io += ifm_ublock) {
            for (int ou = 0; ou < nob; ou += ofm_ublock) {
              for (int e = 0; e < elements; ++e) {
                const int ky = e / sw, kx = e % sw;
                const std::int64_t tap = (sy + ky) * row_stride + (sx + kx) * tap_stride;
                for (int ii = 0; ii < (part_kernel ? 1 : nib); ii += ifm_ublock) {
                  for (int oz = 0; oz < ofm_ublock; ++oz) {
                    const int z = ob + ou + oz;
                    const bool inside = ky < sh && z < t.core_depth;
                    const std::int64_t row = (std::int64_t{z} * g.streams + stream) * channel_stride + tap;
                    const int i = ib + io + ii;
                    visit(row + i, inside ? std::clamp(g.ifm_depth - i, 0, inner_depth) : 0, inner_depth);
                  }
                }
              }
            }
          }
        }
      }
    }
  }
}

/// Symbols of one stream.
[[nodiscard]] inline Int128 symbols_u55(const WeightGeometry& g, int stream) {
  const TraversalU55 t(g, stream);
  const bool part_kernel = g.part_kernel_first && !g.depthwise;
  // Elements per micro-block pair, summed over the sub-kernels: rows and columns of sub-kernels are independent except
  // for the rounding, so the few sub-kernels are enumerated.
  const int sub_h = std::max(1, g.decomposition / g.dilation_y), sub_w = std::max(1, g.decomposition / g.dilation_x);
  std::int64_t elements = 0;
  for (int sy = 0; sy < g.taps_y; sy += sub_h)
    for (int sx = 0; sx < g.taps_x; sx += sub_w)
      elements += round_up(std::int64_t{std::min(g.taps_y - sy, sub_h)} * std::min(g.taps_x - sx, sub_w), t.round);
  std::int64_t inputs = 1;
  if (!g.depthwise) {
    inputs = round_up(g.ifm_depth, part_kernel ? g.ifm_ublock_depth : t.ifm_block);
  }
  const std::int64_t whole_blocks = t.core_depth / t.core_block, rest = t.core_depth % t.core_block;
  const std::int64_t outputs =
      whole_blocks * round_up(t.core_block, g.ofm_ublock_depth) + round_up(rest, g.ofm_ublock_depth);
  return Int128{elements} * inputs * outputs;
}

}  // namespace macaw::npu
