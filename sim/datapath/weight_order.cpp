#include "sim/datapath/weight_order.hpp"
#include "sim/datapath/generation.hpp"
#include "sim/isa/geometry.hpp"

#include <fmt/format.h>

namespace macaw::npu {
namespace {

constexpr std::int64_t kMaxSymbols = std::int64_t{1} << 40;

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
  MACAW_CHECK(datapath::generation(op.family).complete(g, op, accelerator));
  return g;
}

Result<std::int64_t> weight_stream_symbols(const WeightGeometry& g, int stream) {
  const Int128 total = datapath::generation(g.family).weight_symbols(g, stream);
  if (total > kMaxSymbols) return fail(ErrorCode::kUnsupported, "weights of more than 2^40 symbols");
  return static_cast<std::int64_t>(total);
}

void place_weights(const WeightGeometry& geometry, int stream, std::span<const std::int16_t> symbols,
                   std::span<std::int16_t> ohwi) {
  datapath::generation(geometry.family).place_weights(geometry, stream, symbols, ohwi);
}

Result<std::vector<std::int16_t>> order_weights(const WeightGeometry& geometry, int stream,
                                                std::span<const std::int16_t> ohwi) {
  MACAW_ASSIGN(const std::int64_t count, weight_stream_symbols(geometry, stream));
  std::vector<std::int16_t> symbols;
  symbols.reserve(static_cast<std::size_t>(count));
  datapath::generation(geometry.family).order_weights(geometry, stream, ohwi, symbols);
  return symbols;
}

}  // namespace macaw::npu
