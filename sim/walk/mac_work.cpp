#include "sim/walk/mac_work.hpp"

#include <algorithm>

namespace macaw::npu {
namespace {

constexpr int kCyclesPerUblock = 4;    // one micro-block against 32 IFM channels of 8 bits
constexpr int kPartKernelChannels = 8;  // channels of a step when taps fill the dot product
constexpr int kTapGroup = 4;            // taps that stand in for 32 channels then

std::uint64_t up(int value, int unit) { return static_cast<std::uint64_t>((value + unit - 1) / unit); }

bool is_reduce_sum(const BlockOperation& op) { return op.kind == OpKind::kPool && op.pool == PoolMode::kReduceSum; }

}  // namespace

int active_cores(const BlockOperation& op, const Accelerator& accelerator) {
  return op.dual_core ? accelerator.cores : 1;
}

Hwc ofm_ublock(const BlockOperation& op, const Accelerator& accelerator) {
  constexpr Hwc kSquare{2, 2, 8};
  constexpr Hwc kRow{1, 4, 8};
  const auto ublock = accelerator.ofm_ublock;
  const bool row = op.kind == OpKind::kConv && op.ofm.h == 1 && op.ofm.w % 2 == 0 && op.kernel.height == 1;
  return ublock == kSquare && row ? kRow : ublock;
}

int ifm_block_depth(const BlockOperation& op) {
  if (op.ifm.bits >= 32) return 8;  // assumed; only reduce-sum reads 32 bits, and the count does not depend on it
  if (op.ifm.bits == 16) return 16;
  return op.kind == OpKind::kConv && op.kernel.part_kernel_first ? 16 : 32;
}

std::uint64_t weight_blocks_per_ublock(const BlockOperation& op, int taps, int channels) {
  switch (op.kind) {
    case OpKind::kConv:
      if (!op.kernel.part_kernel_first) return static_cast<std::uint64_t>(taps);
      return up(taps, op.ifm.bits == 16 ? kTapGroup / 2 : kTapGroup) * up(channels, kPartKernelChannels);
    case OpKind::kDepthwise: return up(taps, kTapGroup);
    case OpKind::kPool: return is_reduce_sum(op) ? up(channels, kPartKernelChannels) : 1;  // reduce-sum: assumed
    case OpKind::kElementwise:
    case OpKind::kResize: return 0;
  }
  return 0;
}

std::uint64_t weight_block_cycles(const BlockOperation& op, int taps, std::uint64_t ublocks_xy) {
  if (op.kind == OpKind::kDepthwise && op.ifm.bits == 16) return 2 * kCyclesPerUblock * ublocks_xy;
  if (op.kind == OpKind::kPool && !is_reduce_sum(op))
    return static_cast<std::uint64_t>(std::max(kCyclesPerUblock, taps)) * ublocks_xy;
  return kCyclesPerUblock * ublocks_xy;
}

}  // namespace macaw::npu
