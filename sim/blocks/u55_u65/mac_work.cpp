#include "sim/blocks/mac_work.hpp"

#include <algorithm>

namespace macaw::npu {
namespace {

constexpr int kCyclesPerUblock = 4;     // one micro-block against 32 IFM channels of 8 bits
constexpr int kPartKernelChannels = 8;  // channels of a step when taps fill the dot product
constexpr int kTapGroup = 4;            // taps that then replace 32 channels

std::uint64_t up(int value, int unit) { return static_cast<std::uint64_t>((value + unit - 1) / unit); }

bool is_reduce_sum(const BlockOperation& op) { return op.kind == OpKind::kPool && op.pool == PoolMode::kReduceSum; }

std::uint64_t weight_blocks(const BlockOperation& op, int taps, int channels) {
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

}  // namespace

UblockWork ublock_work_u65(const BlockOperation& op, const SubKernel& piece, int channels) {
  const int taps = piece.taps();
  UblockWork work{weight_blocks(op, taps, channels), kCyclesPerUblock};
  if (op.kind == OpKind::kDepthwise && op.ifm.bits == 16) work.cycles = 2 * kCyclesPerUblock;
  if (op.kind == OpKind::kPool && !is_reduce_sum(op))
    work.cycles = static_cast<std::uint64_t>(std::max(kCyclesPerUblock, taps));
  return work;
}

}  // namespace macaw::npu
