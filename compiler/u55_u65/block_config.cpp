#include "compiler/block_config.hpp"

#include "sim/datapath/bits.hpp"
#include "sim/isa/geometry.hpp"

#include <algorithm>

// OFM block and SHRAM layout of U55 and U65 (u55_u65 6.8; bank rules as in Vela,
// ethosu/vela/architecture_allocator.py).
namespace macaw::npu {
namespace {

constexpr int kBankBytes = 1024;
constexpr int kOutputBanks = 2, kTableBanks = 2;
constexpr int kMaxBlockH = 32, kMaxBlockW = 64, kMaxBlockC = 128;
constexpr int kDepthSplit = 16;  // the depth of a block with less than the whole depth is a multiple of this

/// IFM rows or columns that a block of OFM rows or columns needs at a time.
int needed(int ofm, int stride, int kernel, int ublock) {
  return static_cast<int>(round_up(std::int64_t{ofm - 1} * stride + std::min(kernel, kSubKernel), ublock));
}

/// Channels that one IFM block stores: the OFM block's own for everything that works channel by channel.
int stored_depth(const Accelerator& a, const BlockOperation& op, int ofm_block_depth) {
  if (!reads_all_channels(op)) return ofm_block_depth;
  return static_cast<int>(round_up(std::min(op.ifm.c, ifm_block_depth(op, a)), 8));
}

/// Banks of two buffers of `bytes` each, in granules.
int double_buffer(std::int64_t bytes, int granule) {
  return static_cast<int>(round_up(2 * ceil_div(bytes, kBankBytes), granule));
}

int ifm_granule(const BankGranules& g, int bits, bool elementwise) {
  switch (bits) {
    case 8: return elementwise ? g.ifm8_elementwise : g.ifm8;
    case 16: return elementwise ? g.ifm16_elementwise : g.ifm16;
    default: return g.ifm32;
  }
}

/// The SHRAM layout of a block, if it fits.
std::optional<BlockCandidate> lay_out(const Accelerator& a, const BlockOperation& op, const Hwc& block, bool table) {
  const bool elementwise = op.kind == OpKind::kElementwise;
  const auto& g = a.granules;
  const int ih = elementwise ? block.h : needed(block.h, op.kernel.stride_y, op.kernel.height, a.ofm_ublock.h);
  const int iw = elementwise ? block.w : needed(block.w, op.kernel.stride_x, op.kernel.width, a.ofm_ublock.w);
  const std::int64_t ifm_bytes =
      std::int64_t{ih} * iw * round_up(std::int64_t{stored_depth(a, op, block.c)} * op.ifm.bytes(), 8);
  const int ifm_banks = double_buffer(ifm_bytes, ifm_granule(g, op.ifm.bits, elementwise));
  const int end = a.shram_banks - (table ? kTableBanks : a.shram_reserved_end_banks);
  BlockCandidate c{.block = block};
  c.ib2_start = c.ib_end = kOutputBanks + ifm_banks;
  if (elementwise) {
    if (c.ib2_start + (is_unary(op.elementwise) ? 0 : ifm_banks) > end) return std::nullopt;
    c.ib_end = c.ab_start = end;
  } else {
    const bool wide = op.acc_format == AccFormat::kI40;
    const std::int64_t acc_bytes = std::int64_t{block.h} * block.w * round_up(block.c, 8) * (wide ? 5 : 4);
    c.ab_start = end - double_buffer(acc_bytes, wide ? g.acc40 : g.acc32);
    if (c.ib_end > c.ab_start) return std::nullopt;
  }
  return c;
}

}  // namespace

bool choose_block_u65(const Accelerator& accelerator, BlockOperation& op, bool table) {
  const Hwc u = accelerator.ofm_ublock;
  const int max_h = static_cast<int>(std::min<std::int64_t>(kMaxBlockH, round_up(op.ofm.h, u.h)));
  const int max_w = static_cast<int>(std::min<std::int64_t>(kMaxBlockW, round_up(op.ofm.w, u.w)));
  const int max_c = static_cast<int>(std::min<std::int64_t>(kMaxBlockC, round_up(op.ofm.c, u.c)));
  std::optional<BlockCandidate> best;
  for (int c = u.c; c <= max_c; c += u.c) {
    if (c < op.ofm.c && c % kDepthSplit != 0) continue;
    for (int h = u.h; h <= max_h; h += u.h) {
      for (int w = u.w; w <= max_w; w += u.w) {
        auto candidate = lay_out(accelerator, op, {h, w, c}, table);
        if (!candidate) break;
        weigh(op, stored_depth(accelerator, op, c), *candidate);
        if (!best || better(*candidate, *best)) best = candidate;
      }
    }
  }
  if (!best) return false;
  op.block = best->block;
  op.ib_end = best->ib_end;
  op.ib2_start = best->ib2_start;
  op.ab_start = best->ab_start;
  return true;
}

}  // namespace macaw::npu
