#include "compiler/block_config.hpp"

#include "sim/datapath/bits.hpp"
#include "sim/isa/geometry.hpp"

#include <algorithm>
#include <limits>
#include <span>

// Micro-block and OFM block of U85. Facts from Vela, ethosu/regor/architecture/ethosu85/ethos_u85.cpp (micro-blocks
// that an operation may use, RAM sizes, allocation units of the IFM buffer, limits); the search is our own.
namespace macaw::npu {
namespace {

constexpr Hwc kLargestBlock{128, 128, 1024};
constexpr int kDepthGranule = 16;  // of the accumulators
constexpr int kBrickDepth = 16, kChainSlots = 6;

enum Group : unsigned { kConvolution = 1, kMatmul = 2, kByChannel = 4, kReduceSum = 8, kOther = 16, kPointwise = 32 };

struct Microblock {
  int macs;
  Hwc ublock;
  unsigned groups[3];  ///< that may use it, for 8, 16 and 32-bit IFM; kOther: elementwise and resize
  Hwc units[3];        ///< IFM allocation units for up to 128, up to 256 and more bits of depth; c in 128 bits
};

constexpr unsigned kMac = kConvolution | kMatmul | kReduceSum | kOther, kAll = kMac | kByChannel;
constexpr unsigned kFlat = kConvolution | kMatmul | kOther, kDeep = kAll & ~unsigned{kMatmul};
constexpr unsigned kWide = kReduceSum | kOther | kByChannel;
constexpr Microblock kMicroblocks[] = {
    {128, {1, 2, 8}, {kMac, kAll, kWide}, {{1, 2, 1}, {1, 1, 2}, {1, 1, 2}}},
    {128, {1, 1, 16}, {kByChannel | kOther, kPointwise | kOther, kOther}, {{1, 2, 1}, {1, 1, 2}, {1, 1, 2}}},
    {256, {2, 2, 8}, {kMac, kAll, kWide}, {{2, 2, 1}, {1, 2, 2}, {1, 1, 4}}},
    {256, {1, 4, 8}, {kMac, kAll, kWide}, {{1, 4, 1}, {1, 2, 2}, {1, 1, 4}}},
    {256, {1, 2, 16}, {kByChannel | kOther, kPointwise | kOther, kOther}, {{2, 2, 1}, {1, 2, 2}, {1, 1, 4}}},
    {512, {2, 2, 16}, {kAll, kAll, kWide}, {{2, 2, 1}, {1, 2, 2}, {1, 1, 4}}},
    {512, {1, 4, 16}, {kAll, kAll, kWide}, {{1, 4, 1}, {1, 2, 2}, {1, 1, 4}}},
    {1024, {2, 2, 32}, {kFlat, kFlat, kOther}, {{2, 4, 1}, {2, 2, 2}, {1, 2, 4}}},
    {1024, {1, 4, 32}, {kFlat, kFlat, kOther}, {{2, 4, 1}, {1, 4, 2}, {1, 2, 4}}},
    {1024, {2, 4, 16}, {kDeep, kDeep, kWide}, {{2, 4, 1}, {2, 2, 2}, {1, 2, 4}}},
    {2048, {2, 2, 64}, {kFlat, kFlat, kOther}, {{4, 4, 1}, {2, 4, 2}, {2, 2, 4}}},
    {2048, {1, 4, 64}, {kFlat, kFlat, kOther}, {{4, 4, 1}, {2, 4, 2}, {1, 4, 4}}},
    {2048, {4, 4, 16}, {kDeep, kDeep, kWide}, {{4, 4, 1}, {2, 4, 2}, {2, 2, 4}}},
};

unsigned group_of(const BlockOperation& op) {
  switch (op.kind) {
    case OpKind::kConv: {
      if (op.weights_from_ifm2) return kMatmul;
      const bool pointwise = op.kernel.height == 1 && op.kernel.width == 1 && !op.kernel.part_kernel_first;
      return kConvolution | (pointwise && op.ifm.bits == 16 ? kPointwise : 0u);
    }
    case OpKind::kDepthwise: return kByChannel;
    case OpKind::kPool: return op.pool == PoolMode::kReduceSum ? kReduceSum : kByChannel;
    default: return kOther;
  }
}

/// Returns the micro-block that wastes least.
const Microblock* choose_microblock(const Accelerator& accelerator, const BlockOperation& op) {
  const Microblock* best = nullptr;
  std::int64_t least = std::numeric_limits<std::int64_t>::max();
  const auto group = group_of(op);
  for (const auto& m : kMicroblocks) {
    if (m.macs != accelerator.macs || !(m.groups[std::min(op.ifm.bits / 16, 2)] & group)) continue;
    const auto cost = round_up(op.ofm.h, m.ublock.h) * round_up(op.ofm.w, m.ublock.w) * round_up(op.ofm.c, m.ublock.c);
    if (cost >= least) continue;
    best = &m;
    least = cost;
  }
  return best;
}

/// Whether `copies` blocks fit the accumulators and the IFM buffer.
bool fits(const RamSizes& ram, const Microblock& m, const BlockOperation& op, const Hwc& b, int ifm_depth, int copies) {
  const std::int64_t acc_bytes = op.acc_format == AccFormat::kI48 ? 8 : 4;
  if (std::int64_t{b.h} * b.w * round_up(b.c, kDepthGranule) * acc_bytes * copies > ram.accumulators) return false;
  const int bits = ifm_depth * op.ifm.bits;
  const Hwc unit = m.units[bits > 256 ? 2 : bits > 128 ? 1 : 0];
  const auto extent = [](int block, int stride, int kernel, int step) {
    return round_up(std::int64_t{block - 1} * stride + std::min(kernel, kSubKernel), step);
  };
  const auto depth = reads_all_channels(op) ? std::min(ifm_depth, op.ifm.c) : ifm_depth;
  const std::int64_t ifm = extent(b.h, op.kernel.stride_y, op.kernel.height, unit.h) *
                           extent(b.w, op.kernel.stride_x, op.kernel.width, unit.w) *
                           round_up(std::int64_t{depth} * op.ifm.bytes(), std::int64_t{unit.c} * 16);
  return ifm * copies <= ram.ifm;
}

/// Elementwise operations pass through the output buffer row by row; an operand that is broadcast stays in the chain
/// buffer.
Hwc elementwise_block(const RamSizes& ram, const BlockOperation& op, const Hwc& u) {
  const int bytes = op.ifm.bytes();
  const auto repeated = [](const Broadcast& b) { return b.h || b.w || b.c; };
  const bool repeats = repeated(op.ifm_broadcast) || repeated(op.ifm2_broadcast);
  const int bricks = repeats ? ram.chain / kChainSlots / (kBrickDepth * bytes) / u.h : ram.output / bytes / kBrickDepth;
  Hwc b;
  b.w = static_cast<int>(std::min<std::int64_t>({round_up(op.ofm.w, u.w), bricks / u.w * u.w, kLargestBlock.w}));
  b.w = std::max(b.w, u.w);
  const int depth = std::max(1, bricks / b.w) * kBrickDepth;
  b.c = static_cast<int>(std::min<std::int64_t>({round_up(op.ofm.c, kBrickDepth), depth, kLargestBlock.c}));
  b.h = repeats ? u.h : static_cast<int>(std::min<std::int64_t>(round_up(op.ofm.h, u.h), kLargestBlock.h));
  return b;
}

/// RESIZE processes one row and one brick; its IFM block stays in the chain buffer.
Hwc resize_block(const RamSizes& ram, const BlockOperation& op) {
  const auto& r = op.resize_step;
  const std::int64_t bricks = ram.chain / kChainSlots / (kBrickDepth * op.ifm.bytes());
  const std::int64_t step = std::int64_t{r.one_step_int_x} * r.n_x + r.one_step_mod_x;
  const auto width = ceil_div((bricks - 2) * r.n_x + 1, std::max<std::int64_t>(step, 1));
  return {1, static_cast<int>(std::clamp<std::int64_t>(width, 1, std::min(kLargestBlock.w, op.ofm.w))), kBrickDepth};
}

/// Sets how far the input advances from block to block.
void set_block_steps(BlockOperation& op) {
  auto& r = op.resize_step;
  const auto advance = [](int block, int n, int step_int, int step_mod, int& whole, int& rest) {
    const std::int64_t total = std::int64_t{block} * (std::int64_t{step_int} * n + step_mod);
    whole = static_cast<int>(total / n);
    rest = static_cast<int>(total % n);
  };
  advance(op.block.w, r.n_x, r.one_step_int_x, r.one_step_mod_x, r.blk_step_int_x, r.blk_step_mod_x);
  advance(op.block.h, r.n_y, r.one_step_int_y, r.one_step_mod_y, r.blk_step_int_y, r.blk_step_mod_y);
}

}  // namespace

bool choose_block_u85(const Accelerator& accelerator, BlockOperation& op) {
  const auto* m = choose_microblock(accelerator, op);
  if (!m) return false;
  const RamSizes& ram = accelerator.ram;
  const Hwc u = op.ublock = m->ublock;
  if (op.kind == OpKind::kElementwise || op.kind == OpKind::kResize) {
    op.block = op.kind == OpKind::kResize ? resize_block(ram, op) : elementwise_block(ram, op, u);
    if (op.kind == OpKind::kResize) set_block_steps(op);
    return true;
  }
  const int step_c = std::max(u.c, kDepthGranule);
  const int max_h = static_cast<int>(std::min<std::int64_t>(kLargestBlock.h, round_up(op.ofm.h, u.h)));
  const int max_w = static_cast<int>(std::min<std::int64_t>(kLargestBlock.w, round_up(op.ofm.w, u.w)));
  const int max_c = static_cast<int>(std::min<std::int64_t>(kLargestBlock.c, round_up(op.ofm.c, step_c)));
  std::optional<BlockCandidate> best;
  for (const int copies : {2, 1}) {
    for (int c = step_c; c <= max_c; c += step_c) {
      const int depth = reads_all_channels(op) ? ifm_block_depth(op, accelerator) : c;
      for (int h = u.h; h <= max_h; h += u.h) {
        for (int w = u.w; w <= max_w; w += u.w) {
          BlockCandidate candidate{.block = {h, w, c}};
          if (!fits(ram, *m, op, candidate.block, depth, copies)) break;
          weigh(op, depth, candidate);
          if (!best || better(candidate, *best)) best = candidate;
        }
      }
    }
    if (best) break;
  }
  if (!best) return false;
  op.block = best->block;
  return true;
}

}  // namespace macaw::npu
