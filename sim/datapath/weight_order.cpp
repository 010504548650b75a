#include "sim/datapath/weight_order.hpp"
#include "sim/datapath/bits.hpp"
#include "sim/datapath/u85/weight_order.hpp"
#include "sim/isa/geometry.hpp"

#include <algorithm>
#include <cstring>

#include <fmt/format.h>

namespace macaw::npu {
namespace {

constexpr std::int64_t kMaxSymbols = std::int64_t{1} << 40;
constexpr int kUsualRun = 8;  // weights that follow each other in a stream and in OHWI

/// Derived extents of the traversal (u55_u65 4.2).
struct Traversal {
  int ifm_block, round, core_block, core_depth;

  Traversal(const WeightGeometry& g, int stream)
      : ifm_block(g.ifm_block_depth()),
        round(g.depthwise           ? 4
              : g.part_kernel_first ? (g.ifm_bits == 16 ? 2 : 4)
                                    : 1),
        core_block(std::max(1, static_cast<int>(ceil_div(g.block_depth - stream, g.streams)))),
        core_depth(g.ofm_depth > stream ? static_cast<int>(ceil_div(g.ofm_depth - stream, g.streams)) : 0) {}
};

/// Visits the weights of one U55/U65 stream in consumption order by runs: visit(index in OHWI of the first, how many
/// follow each other there, symbols in all, the rest of which are padding).
template <class Visit>
void traverse_u55(const WeightGeometry& g, int stream, Visit visit) {
  const Traversal t(g, stream);
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

template <class Visit>
void traverse(const WeightGeometry& g, int stream, Visit visit) {
  if (g.family == Family::kU85) traverse_u85(g, stream, visit);
  else traverse_u55(g, stream, visit);
}

}  // namespace

int WeightGeometry::ifm_block_depth() const {
  return npu::ifm_block_depth({family, macs, ofm_ublock_depth, ifm_bits, part_kernel_first, sparse});
}

Result<WeightGeometry> weight_geometry(const BlockOperation& op, const Accelerator& accelerator) {
  WeightGeometry g;
  g.family = op.family;
  g.depthwise = op.kind == OpKind::kDepthwise;
  g.part_kernel_first = op.kernel.part_kernel_first && !g.depthwise;
  g.ifm_bits = op.ifm.bits;
  g.ofm_depth = op.ofm.c;
  g.ifm_depth = g.depthwise ? 1 : op.ifm.c;
  g.taps_y = op.kernel.taps_y();
  g.taps_x = op.kernel.taps_x();
  g.dilation_y = op.kernel.dilation_y;
  g.dilation_x = op.kernel.dilation_x;
  g.decomposition = op.kernel.decomposition;
  g.block_depth = op.block.c;
  g.ofm_ublock_depth = accelerator.ofm_ublock.c;
  g.ifm_ublock_depth = accelerator.ifm_ublock.c;
  g.streams = op.dual_core ? 2 : 1;
  if (op.family != Family::kU85) return g;
  if (op.ublock.c < 4 * accelerator.weight_decoders)
    return fail(ErrorCode::kHardwareFault, fmt::format("a micro-block of {} channels does not feed {} weight decoders",
                                                       op.ublock.c, accelerator.weight_decoders));
  g.ofm_ublock_depth = op.ublock.c;
  g.streams = accelerator.weight_decoders;
  g.macs = accelerator.macs;
  g.stride_y = op.kernel.stride_y;
  g.stride_x = op.kernel.stride_x;
  g.sparse = op.sparse_weights;
  return g;
}

Result<std::int64_t> weight_stream_symbols(const WeightGeometry& g, int stream) {
  if (g.family == Family::kU85) {
    const Int128 total = symbols_u85(g);
    if (total > kMaxSymbols) return fail(ErrorCode::kUnsupported, "weights of more than 2^40 symbols");
    return static_cast<std::int64_t>(total);
  }
  const Traversal t(g, stream);
  const bool part_kernel = g.part_kernel_first && !g.depthwise;
  // Elements per micro-block pair, summed over the sub-kernels: rows and columns of sub-kernels are independent but for
  // the rounding, so the few sub-kernels are enumerated.
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
  const Int128 total = Int128{elements} * inputs * outputs;
  if (total > kMaxSymbols) return fail(ErrorCode::kUnsupported, "weights of more than 2^40 symbols");
  return static_cast<std::int64_t>(total);
}

std::int64_t interleave_block(const WeightGeometry& g) {
  const TraversalU85 t(g);
  return std::int64_t{g.ofm_ublock_depth} * t.ifm_ublock * t.round / g.streams;
}

void place_weights(const WeightGeometry& geometry, int stream, std::span<const std::int16_t> symbols,
                   std::span<std::int16_t> ohwi) {
  // A copy that is the traversal's own, so that it may stay in registers.
  const auto place = [next = symbols.data(), out = ohwi.data()](std::int64_t index, int weights,
                                                                std::int64_t run) mutable {
    if (weights == kUsualRun) std::memcpy(out + index, next, kUsualRun * sizeof(*next));
    else if (weights > 0) std::copy_n(next, weights, out + index);
    next += run;
  };
  traverse(geometry, stream, place);
}

Result<std::vector<std::int16_t>> order_weights(const WeightGeometry& geometry, int stream,
                                                std::span<const std::int16_t> ohwi) {
  MACAW_ASSIGN(const std::int64_t count, weight_stream_symbols(geometry, stream));
  std::vector<std::int16_t> symbols;
  symbols.reserve(static_cast<std::size_t>(count));
  traverse(geometry, stream, [&](std::int64_t index, int weights, std::int64_t run) {
    if (weights > 0) symbols.insert(symbols.end(), ohwi.begin() + index, ohwi.begin() + index + weights);
    symbols.resize(symbols.size() + static_cast<std::size_t>(run - weights));
  });
  return symbols;
}

}  // namespace macaw::npu
