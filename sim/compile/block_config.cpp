#include "sim/compile/passes.hpp"

#include "sim/datapath/bits.hpp"

#include <algorithm>
#include <optional>

// OFM block and SHRAM layout (functional document 6.13; bank rules as in Vela, ethosu/vela/architecture_allocator.py).
namespace macaw::npu {
namespace {

constexpr int kBankBytes = 1024;
constexpr int kOutputBanks = 2;
constexpr int kMaxBlockH = 32, kMaxBlockW = 64, kMaxBlockC = 128;
constexpr int kSubKernel = 8;   // the array sees at most 8 x 8 elements of a dilated kernel at a time
constexpr int kDepthSplit = 16;  // a block that does not hold the whole depth is a multiple of this deep

struct Candidate {
  Hwc block;
  int ib_end = 0, ib2_start = 0, ab_start = 0;
  std::int64_t traffic = 0, blocks = 0;
};

/// IFM rows or columns that a block of OFM rows or columns needs at a time.
int needed(int ofm, int stride, int kernel, int ublock) {
  return static_cast<int>(round_up(std::int64_t{ofm - 1} * stride + std::min(kernel, kSubKernel), ublock));
}

/// Channels of one IFM block: the OFM block's own for everything that works channel by channel.
int ifm_block_depth(const BlockOperation& op, int ofm_block_depth) {
  if (op.kind != OpKind::kConv) return ofm_block_depth;
  const int whole = op.ifm.bits == 16 || op.kernel.part_kernel_first ? 16 : 32;
  return static_cast<int>(round_up(std::min(op.ifm.c, whole), 8));
}

/// Banks of two buffers of `bytes` each, in granules.
int double_buffer(std::int64_t bytes, int granule) {
  return static_cast<int>(round_up(2 * ceil_div(bytes, kBankBytes), granule));
}

/// The SHRAM layout of a block, if it fits.
std::optional<Candidate> lay_out(const Network& network, const BlockOperation& op, const Hwc& block) {
  const auto& a = *network.accelerator;
  const bool elementwise = op.kind == OpKind::kElementwise;
  const auto& g = a.granules;
  const int ih = elementwise ? block.h : needed(block.h, op.kernel.stride_y, op.kernel.height, a.ofm_ublock.h);
  const int iw = elementwise ? block.w : needed(block.w, op.kernel.stride_x, op.kernel.width, a.ofm_ublock.w);
  const std::int64_t ifm_bytes =
      std::int64_t{ih} * iw * round_up(std::int64_t{ifm_block_depth(op, block.c)} * op.ifm.bytes(), 8);
  const int ifm_granule = op.ifm.bits == 8 ? (elementwise ? g.ifm8_elementwise : g.ifm8)
                                           : (elementwise ? g.ifm16_elementwise : g.ifm16);
  const int ifm_banks = double_buffer(ifm_bytes, ifm_granule);
  const int end = a.shram_banks - a.shram_reserved_end_banks;
  Candidate c{.block = block};
  c.ib2_start = c.ib_end = kOutputBanks + ifm_banks;
  if (elementwise) {
    const bool scalar = op.ifm2_broadcast.scalar;
    if (c.ib2_start + (scalar ? 0 : ifm_banks) > end) return std::nullopt;
    c.ib_end = c.ab_start = end;
  } else {
    const std::int64_t acc_bytes = std::int64_t{block.h} * block.w * round_up(block.c, 8) * 4;
    c.ab_start = end - double_buffer(acc_bytes, g.acc32);
    if (c.ib_end > c.ab_start) return std::nullopt;
  }
  return c;
}

/// Bytes that cross the bus: every OFM block reads its window, for each depth block again unless the whole depth is
/// kept, and the weights pass once per spatial block (walk document 2.1, 2.3, 2.5).
void weigh(const BlockOperation& op, Candidate& c) {
  const auto& b = c.block;
  const auto& o = op.ofm;
  const std::int64_t ny = ceil_div(o.h, b.h), nx = ceil_div(o.w, b.w), nc = ceil_div(o.c, b.c);
  c.blocks = ny * nx * nc;
  if (op.kind == OpKind::kElementwise) {
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
  if (conv && ceil_div(op.ifm.c, ifm_block_depth(op, b.c)) > 2) reads *= nc;
  std::int64_t weights = 0;
  if (op.kind != OpKind::kPool)
    weights = std::int64_t{op.kernel.taps_y()} * op.kernel.taps_x() * (conv ? op.ifm.c : 1) * round_up(o.c, 8);
  c.traffic = reads + ny * nx * weights;
}

bool better(const Candidate& a, const Candidate& b) {
  const auto area = [](const Candidate& c) { return std::int64_t{c.block.h} * c.block.w * c.block.c; };
  if (a.traffic != b.traffic) return a.traffic < b.traffic;
  if (a.blocks != b.blocks) return a.blocks < b.blocks;
  return area(a) < area(b);
}

}  // namespace

Result<void> choose_blocks(Network& network) {
  const Hwc u = network.accelerator->ofm_ublock;
  for (auto& layer : network.layers) {
    auto& op = layer.op;
    const int max_h = static_cast<int>(std::min<std::int64_t>(kMaxBlockH, round_up(op.ofm.h, u.h)));
    const int max_w = static_cast<int>(std::min<std::int64_t>(kMaxBlockW, round_up(op.ofm.w, u.w)));
    const int max_c = static_cast<int>(std::min<std::int64_t>(kMaxBlockC, round_up(op.ofm.c, u.c)));
    std::optional<Candidate> best;
    for (int c = u.c; c <= max_c; c += u.c) {
      if (c < op.ofm.c && c % kDepthSplit != 0) continue;
      for (int h = u.h; h <= max_h; h += u.h) {
        for (int w = u.w; w <= max_w; w += u.w) {
          auto candidate = lay_out(network, op, {h, w, c});
          if (!candidate) break;
          weigh(op, *candidate);
          if (!best || better(*candidate, *best)) best = candidate;
        }
      }
    }
    if (!best)
      return fail(ErrorCode::kUnsupported, "no block of this operator fits the shared RAM of " +
                  std::string(network.accelerator->name), {.op = layer.name});
    op.block = best->block;
    op.ib_end = best->ib_end;
    op.ib2_start = best->ib2_start;
    op.ab_start = best->ab_start;
    op.acc_format = AccFormat::kI32;
    op.dual_core = network.accelerator->cores > 1;
  }
  return {};
}

}  // namespace macaw::npu
