#include "compiler/block_config.hpp"
#include "compiler/generation.hpp"
#include "compiler/passes.hpp"

#include "sim/datapath/bits.hpp"

#include <algorithm>
#include <map>
#include <tuple>

namespace macaw::npu {
namespace {

auto resize_key(const BlockOperation::Resize& r) {
  return std::make_tuple(r.n_x, r.n_y, r.offset_x, r.offset_y, r.one_step_int_x, r.one_step_mod_x, r.one_step_int_y,
                         r.one_step_mod_y);
}

/// Everything that the choice depends on.
auto key_of(const BlockOperation& b, bool table) {
  return std::make_tuple(b.kind, b.pool, b.elementwise, std::tuple(b.ofm.h, b.ofm.w, b.ofm.c, b.ofm.bits),
                         std::tuple(b.ifm.h, b.ifm.w, b.ifm.c, b.ifm.bits), std::tuple(b.ifm2.h, b.ifm2.w, b.ifm2.c),
                         std::tuple(b.kernel.height, b.kernel.width, b.kernel.stride_y, b.kernel.stride_x,
                                    b.kernel.dilation_y, b.kernel.dilation_x, b.kernel.part_kernel_first),
                         b.acc_format, table, b.weights_from_ifm2, resize_key(b.resize_step));
}

}  // namespace

bool reads_all_channels(const BlockOperation& op) {
  return op.kind == OpKind::kConv || (op.kind == OpKind::kPool && op.pool == PoolMode::kReduceSum);
}

/// Bytes that cross the bus: every OFM block reads its window, once per depth block unless the whole depth is kept, and
/// the weights pass once per spatial block (timing 2.1, 2.3, 2.5).
void weigh(const BlockOperation& op, int ifm_block_depth, BlockCandidate& c) {
  const auto& b = c.block;
  const auto& o = op.ofm;
  const std::int64_t ny = ceil_div(o.h, b.h), nx = ceil_div(o.w, b.w), nc = ceil_div(o.c, b.c);
  c.blocks = ny * nx * nc;
  if (op.kind == OpKind::kElementwise || op.kind == OpKind::kResize) {
    c.traffic = 0;
    return;
  }
  const auto window = [](int block, int ofm, int stride, int kernel, int ifm) {
    return std::min<std::int64_t>(ifm, std::int64_t{std::min(block, ofm) - 1} * stride + kernel);
  };
  const std::int64_t rows = window(b.h, o.h, op.kernel.stride_y, op.kernel.height, op.ifm.h);
  const std::int64_t columns = window(b.w, o.w, op.kernel.stride_x, op.kernel.width, op.ifm.w);
  std::int64_t reads = ny * nx * rows * columns * op.ifm.c;
  const bool conv = op.kind == OpKind::kConv;
  if (conv && ceil_div(op.ifm.c, ifm_block_depth) > 2) reads *= nc;
  std::int64_t weights = 0;
  if (op.kind != OpKind::kPool)
    weights = std::int64_t{op.kernel.taps_y()} * op.kernel.taps_x() * (conv ? op.ifm.c : 1) * round_up(o.c, 8);
  c.traffic = reads + ny * nx * weights;
}

bool better(const BlockCandidate& a, const BlockCandidate& b) {
  const auto area = [](const BlockCandidate& c) { return std::int64_t{c.block.h} * c.block.w * c.block.c; };
  if (a.traffic != b.traffic) return a.traffic < b.traffic;
  if (a.blocks != b.blocks) return a.blocks < b.blocks;
  return area(a) < area(b);
}

Result<void> choose_blocks(Network& network) {
  const auto& accelerator = *network.accelerator;
  std::map<decltype(key_of({}, false)), BlockOperation> done;
  for (auto& step : network.steps) {
    auto* layer = std::get_if<Layer>(&step);
    if (!layer) continue;
    auto& op = layer->block;
    const bool table = layer->table >= 0;
    const auto [at, added] = done.try_emplace(key_of(op, table), op);
    if (added) {
      auto& chosen = at->second;
      if (!compiler::generation(accelerator.family).choose_block(accelerator, chosen, table))
        return fail(ErrorCode::kUnsupported,
                    "no block of this operator fits the RAM inside " + std::string(accelerator.name),
                    {.op = network.operators[layer->op].place});
    }
    const auto& chosen = at->second;
    op.block = chosen.block;
    op.ublock = chosen.ublock;
    op.ib_end = chosen.ib_end;
    op.ib2_start = chosen.ib2_start;
    op.ab_start = chosen.ab_start;
    op.resize_step = chosen.resize_step;
    op.dual_core = accelerator.cores > 1;
  }
  return {};
}

}  // namespace macaw::npu
