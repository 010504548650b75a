#pragma once
#include "sim/datapath/bits.hpp"
#include "sim/datapath/weight_order.hpp"

#include <algorithm>

// The order in which a U85 consumes weights (u85 4.4; Vela,
// ethosu/regor/architecture/ethosu85/ethos_u85_weight_encoder.cpp).
namespace macaw::npu {

inline constexpr int kGroupChannels = 4;  ///< consecutive OFM channels that one weight decoder feeds

/// Derived extents of the traversal.
struct TraversalU85 {
  int ifm_block, ifm_ublock, round;
  int ifm_step;            ///< IFM channels per OFM channel and tap
  int depthwise_padding;   ///< symbols per OFM channel that follow every `round` taps of a depthwise kernel
  int stride_y, stride_x;  ///< of the traversal: depth-first reads taps in sequence
  int sub_h, sub_w;

  explicit TraversalU85(const WeightGeometry& g)
      : ifm_step(g.depthwise ? 1
                 : g.sparse  ? 16
                             : 8),
        depthwise_padding(0),
        stride_y(g.stride_y),
        stride_x(g.stride_x),
        sub_h(std::max(1, g.decomposition / g.dilation_y)),
        sub_w(std::max(1, g.decomposition / g.dilation_x)) {
    if (g.depthwise) {
      ifm_block = ifm_ublock = 1;
      round = 10;
      depthwise_padding = g.ifm_bits == 8 && g.macs <= 256 ? 0 : g.macs <= 512 ? 2 : 6;
    } else if (g.part_kernel_first) {
      ifm_block = g.ifm_block_depth();
      ifm_ublock = g.ifm_bits == 16 && !g.sparse ? 8 : 16;
      round = g.ifm_bits == 16 || g.sparse ? 10 : 5;
    } else {
      ifm_block = g.ifm_block_depth();
      ifm_ublock = ifm_block;
      round = 1;
      stride_y = stride_x = 1;
    }
  }
};

/// Visits the weights of one stream in consumption order, in runs: visit(OHWI index of the first weight, number of
/// weights that are consecutive there, number of symbols, of which the rest are padding).
template <class Visit>
void traverse_u85(const WeightGeometry& g, int stream, Visit visit) {
  const TraversalU85 t(g);
  const std::int64_t row_stride = std::int64_t{g.ifm_depth} * g.taps_x;
  const std::int64_t channel_stride = row_stride * g.taps_y;
  const int ifm_depth = g.depthwise ? 1 : g.ifm_depth;
  const int blocks = static_cast<int>(ceil_div(ifm_depth, t.ifm_block));
  const auto pad = [&](int elements) {
    visit(std::int64_t{0}, 0, std::int64_t{elements} * t.ifm_ublock * g.ofm_ublock_depth / g.streams);
  };
  // One tap of one pair of micro-blocks.
  const auto tap = [&](int z0, int i0, std::int64_t offset) {
    for (int ii = 0; ii < t.ifm_ublock; ii += t.ifm_step) {
      const int weights = std::clamp(ifm_depth - i0 - ii, 0, t.ifm_step);
      for (int group = kGroupChannels * stream; group < g.ofm_ublock_depth; group += kGroupChannels * g.streams) {
        const int inside = g.ofm_depth - z0 - group;
        std::int64_t index = (z0 + group) * channel_stride + offset + i0 + ii;
        for (int z = 0; z < kGroupChannels; ++z, index += channel_stride)
          visit(index, z < inside ? weights : 0, std::int64_t{t.ifm_step});
      }
    }
  };
  bool forward = true;
  for (int ob = 0; ob < g.ofm_depth; ob += g.block_depth, forward = !forward) {
    const int nob = std::min(g.block_depth, g.ofm_depth - ob);
    for (int b = 0; b < blocks; ++b) {
      const int ib = (forward ? b : blocks - 1 - b) * t.ifm_block;
      const int nib = std::min(t.ifm_block, ifm_depth - ib);
      for (int sx = 0; sx < g.taps_x; sx += t.sub_w) {
        const int sw = std::min(g.taps_x - sx, t.sub_w);
        for (int sy = 0; sy < g.taps_y; sy += t.sub_h) {
          const int sh = std::min(g.taps_y - sy, t.sub_h);
          for (int io = 0; io < nib; io += t.ifm_ublock) {
            for (int ou = 0; ou < nob; ou += g.ofm_ublock_depth) {
              int left = static_cast<int>(round_up(std::int64_t{sw} * sh, t.round));
              for (int py = 0; py < t.stride_y; ++py) {
                for (int px = 0; px < t.stride_x; ++px) {
                  const int rows = sh > py ? static_cast<int>(ceil_div(sh - py, t.stride_y)) : 0;
                  const int columns = sw > px ? static_cast<int>(ceil_div(sw - px, t.stride_x)) : 0;
                  for (int ky = 0; ky < rows; ++ky) {
                    for (int kx = 0; kx < columns; ++kx) {
                      const int x = ky % 2 == 0 ? kx : columns - 1 - kx;
                      tap(ob + ou, ib + io,
                          (sy + py + ky * t.stride_y) * row_stride +
                              (sx + px + std::int64_t{x} * t.stride_x) * g.ifm_depth);
                      if (--left % t.round == 0) pad(t.depthwise_padding);
                    }
                  }
                }
              }
              if (left > 0) pad(left + t.depthwise_padding);
            }
          }
        }
      }
    }
  }
}

/// Symbols of one stream; equal for all streams of an operation.
[[nodiscard]] inline Int128 symbols_u85(const WeightGeometry& g) {
  const TraversalU85 t(g);
  std::int64_t elements = 0;
  for (int sx = 0; sx < g.taps_x; sx += t.sub_w)
    for (int sy = 0; sy < g.taps_y; sy += t.sub_h) {
      const std::int64_t rounds =
          ceil_div(std::int64_t{std::min(g.taps_x - sx, t.sub_w)} * std::min(g.taps_y - sy, t.sub_h), t.round);
      elements += rounds * (t.round + t.depthwise_padding);
    }
  const std::int64_t inputs = g.depthwise ? 1 : round_up(g.ifm_depth, t.ifm_ublock);
  const std::int64_t whole = g.ofm_depth / g.block_depth, rest = g.ofm_depth % g.block_depth;
  const std::int64_t outputs = whole * round_up(g.block_depth, g.ofm_ublock_depth) + round_up(rest, g.ofm_ublock_depth);
  return Int128{elements} * inputs * outputs / g.streams;
}

/// Symbols of one stream that are consecutive in a fast weight stream, which interleaves all streams (u85 4.2).
[[nodiscard]] inline std::int64_t interleave_block(const WeightGeometry& g) {
  const TraversalU85 t(g);
  return std::int64_t{g.ofm_ublock_depth} * t.ifm_ublock * t.round / g.streams;
}

}  // namespace macaw::npu
