#include "sim/blocks/mac_work.hpp"

#include <algorithm>

namespace macaw::npu {
namespace {

constexpr int kDenseGroup = 5, kDenseLeast = 2;  // taps of a part-kernel step, and minimum of an incomplete one
constexpr int kSparseGroup = 10, kSparseLeast = 4;

/// Taps in groups of `group`; an incomplete last group counts at least `least`. Determined for 9, 25 and 40 taps: a
/// multiple of the group above 32 taps costs one more group of `least` (timing 7.1).
std::int64_t grouped(std::int64_t taps, std::int64_t group, std::int64_t least) {
  const std::int64_t rest = taps % group;
  const std::int64_t tail = rest == 0 && taps <= 32 ? 0 : std::max(rest, least);
  return taps / group * group + tail;
}

/// Cycles for convolving all taps of the kernel with `channels` channels.
std::int64_t convolution(const BlockOperation& op, std::int64_t taps, int channels) {
  const std::int64_t bytes = op.ifm.bytes();
  const std::int64_t sixteens = (channels + 15) / 16;
  if (op.kind != OpKind::kConv) return 2 * sixteens * bytes;  // reduce-sum: assumed
  if (!op.kernel.part_kernel_first) {
    const std::int64_t dense = taps * 2 * sixteens * bytes;
    return op.sparse_weights ? dense / 2 : dense;
  }
  if (op.sparse_weights) return sixteens * grouped(taps, kSparseGroup, kSparseLeast) * bytes;
  const std::int64_t eights = op.ifm.c <= 8 ? 1 : 2 * sixteens;
  return eights * grouped(taps, kDenseGroup, kDenseLeast) * bytes;
}

std::int64_t whole_kernel(const BlockOperation& op, std::int64_t taps, int channels) {
  switch (op.kind) {
    case OpKind::kConv: return convolution(op, taps, channels);
    case OpKind::kDepthwise: return taps * op.ifm.bytes();
    case OpKind::kPool: return op.pool == PoolMode::kReduceSum ? convolution(op, taps, channels) : taps;
    case OpKind::kElementwise: return 1;
    case OpKind::kResize: return 0;
  }
  return 0;
}

}  // namespace

UblockWork ublock_work_u85(const BlockOperation& op, const SubKernel& piece, int channels) {
  if (op.kind == OpKind::kElementwise || op.kind == OpKind::kResize)
    return {1, static_cast<std::uint64_t>(whole_kernel(op, 1, channels))};
  // Pieces are whole columns, so the first column determines the taps before a piece.
  const std::int64_t rows = op.kernel.taps_y();
  const std::int64_t taps = rows * op.kernel.taps_x();
  const std::int64_t cycles = whole_kernel(op, taps, channels);
  const auto until = [&](std::int64_t column) { return cycles * (rows * column) / taps; };
  return {1, static_cast<std::uint64_t>(until(piece.x1) - until(piece.x0))};
}

int tap_group_u85(const BlockOperation& op) {
  if (op.kind != OpKind::kConv) return 0;
  if (!op.kernel.part_kernel_first) return 1;
  return op.sparse_weights ? kSparseGroup : kDenseGroup;
}

}  // namespace macaw::npu
