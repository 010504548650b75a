#include "sim/walk/walk.hpp"

#include "sim/walk/block_order.hpp"
#include "sim/walk/box_transfers.hpp"
#include "sim/walk/retention.hpp"
#include "sim/walk/stream_share.hpp"
#include "sim/walk/window.hpp"

#include <algorithm>
#include <string>

namespace macaw::npu {
namespace {

constexpr std::size_t kRetained = 2;    // IFM blocks kept: the two halves of the IFM buffer (walk rules 2.3)
constexpr int kWriteChunk = 16;         // elements of an NHWC write per core (walk rules 2.4)
constexpr int kMaxExtent = 65536;       // 16-bit registers that hold extent - 1
constexpr int kMaxStride = 4096;

std::uint64_t pieces(std::uint64_t extent, std::uint64_t piece) { return (extent + piece - 1) / piece; }

Result<void> check(bool ok, const char* what) {
  if (ok) return {};
  return fail(ErrorCode::kHardwareFault, std::string(what) + " out of range");
}

bool extent_ok(int value) { return value >= 1 && value <= kMaxExtent; }
bool bits_ok(int bits) { return bits == 8 || bits == 16 || bits == 32 || bits == 64; }

/// Depthwise and pooling combine no channels: an IFM block has the channels of its OFM block.
bool keeps_channels(const BlockOperation& op) {
  return op.kind == OpKind::kDepthwise || (op.kind == OpKind::kPool && op.pool != PoolMode::kReduceSum);
}

Result<void> check_operation(const BlockOperation& op) {
  const auto& k = op.kernel;
  MACAW_CHECK(check(extent_ok(op.ofm.h) && extent_ok(op.ofm.w) && extent_ok(op.ofm.c), "OFM extent"));
  MACAW_CHECK(check(extent_ok(op.block.h) && extent_ok(op.block.w) && extent_ok(op.block.c), "OFM block"));
  MACAW_CHECK(check(bits_ok(op.ifm.bits) && bits_ok(op.ofm.bits) && bits_ok(op.ifm2.bits), "element size"));
  if (op.kind == OpKind::kElementwise) return {};
  MACAW_CHECK(check(extent_ok(k.height) && extent_ok(k.width), "kernel"));
  MACAW_CHECK(check(k.stride_y >= 1 && k.stride_y <= kMaxStride && k.stride_x >= 1 && k.stride_x <= kMaxStride,
                    "kernel stride"));
  MACAW_CHECK(check(extent_ok(k.dilation_y) && extent_ok(k.dilation_x) && k.decomposition >= 1, "kernel dilation"));
  return check(keeps_channels(op) || extent_ok(op.ifm.c), "IFM depth");
}

bool reads_weights(const BlockOperation& op) { return op.kind == OpKind::kConv || op.kind == OpKind::kDepthwise; }

/// Convolutions take their biases from the scale stream also when the scale is global; pooling has none then.
bool reads_scales(const BlockOperation& op) {
  return reads_weights(op) || (op.kind == OpKind::kPool && op.scale_per_channel);
}

bool reads_ifm2(const BlockOperation& op) {
  return op.kind == OpKind::kElementwise && !op.ifm2_broadcast.scalar && op.elementwise != ElementwiseMode::kLrelu &&
         op.elementwise != ElementwiseMode::kAbs && op.elementwise != ElementwiseMode::kClz;
}

Box broadcast(Box box, const Broadcast& dimensions) {
  if (dimensions.h) box.y0 = 0, box.y1 = 1;
  if (dimensions.w) box.x0 = 0, box.x1 = 1;
  if (dimensions.c) box.c0 = 0, box.c1 = 1;
  return box;
}

}  // namespace

struct BlockWalk::State {
  BlockOperation op;
  int cores;
  unsigned burst_bytes;
  Hwc ublock;
  BlockOrder order;
  SubKernels sub_kernels;
  Retention retention;
  int ifm_depth;                 // channels that all steps of a block cover
  int ifm_step_depth;            // channels of one step
  std::uint64_t depth_blocks;    // steps of a block over depth
  std::uint64_t steps;           // steps of a block
  std::uint64_t work = 0;        // weight blocks of all steps of a block, per micro-block in depth

  std::uint64_t next_block = 0;  // index of the block that next_block() returns
  std::uint64_t next_step = 0;   // in the current block
  std::uint64_t step_index = 0;  // in the operation
  std::uint64_t work_done = 0;   // weight blocks of the steps done in this block, per micro-block in depth
  Box block;
  std::uint64_t ublocks_xy = 0, ublocks_c = 0;

  State(const BlockOperation& operation, const Accelerator& accelerator)
      : op(operation),
        cores(active_cores(operation, accelerator)),
        burst_bytes(static_cast<unsigned>(accelerator.burst_bytes)),
        ublock(ofm_ublock(operation, accelerator)),
        order({op.ofm.h, op.ofm.w, op.ofm.c}, op.block),
        sub_kernels(op.kind == OpKind::kElementwise ? Kernel{} : op.kernel),
        // A kernel of several pieces never finds a block again.
        retention(op.kind == OpKind::kElementwise || sub_kernels.count() > 1 ? 0 : kRetained) {
    const bool one_depth = op.kind == OpKind::kElementwise || keeps_channels(op);
    ifm_depth = one_depth ? op.block.c : op.ifm.c;
    ifm_step_depth = one_depth ? op.block.c : ifm_block_depth(op);
    depth_blocks = pieces(static_cast<std::uint64_t>(ifm_depth), static_cast<std::uint64_t>(ifm_step_depth));
    steps = depth_blocks * static_cast<std::uint64_t>(sub_kernels.count());
  }

  [[nodiscard]] Progress block_progress() const {
    return {static_cast<std::uint64_t>(block.c0), static_cast<std::uint64_t>(block.c1),
            static_cast<std::uint64_t>(op.ofm.c)};
  }
  void enter_block(OfmBlock& out);
  void step(IfmBlock& out);
  void elementwise_step(IfmBlock& out);
};

void BlockWalk::State::enter_block(OfmBlock& out) {
  block = order.box(next_block);
  ublocks_xy = pieces(std::uint64_t(block.h()), std::uint64_t(ublock.h)) *
               pieces(std::uint64_t(block.w()), std::uint64_t(ublock.w));
  ublocks_c = pieces(std::uint64_t(block.c()), std::uint64_t(ublock.c) * std::uint64_t(cores));
  next_step = 0;
  work_done = 0;

  out.index = next_block++;
  out.last = next_block == order.count();
  out.box = block;
  out.elements = block.elements();
  out.ublocks_xy = ublocks_xy;
  out.ublocks_c = ublocks_c;
  out.scales.clear();
  if (reads_scales(op))
    for (int core = 0; core < cores; ++core)
      append_share(out.scales, Channel::kReadScaleBias, op.scales[std::size_t(core)], block_progress(), burst_bytes);
  out.writes.clear();
  append_box(out.writes, Channel::kWriteOfm, op.ofm, block, PixelRuns::kChunks, kWriteChunk * cores);
}

void BlockWalk::State::elementwise_step(IfmBlock& out) {
  out.box = broadcast(block, op.ifm_broadcast);
  out.fetched = true;
  out.taps = 1;
  out.mac = {};
  append_box(out.reads, Channel::kReadIfm, op.ifm, out.box, PixelRuns::kWhole, 0);
  if (reads_ifm2(op))
    append_box(out.reads2, Channel::kReadIfm, op.ifm2, broadcast(block, op.ifm2_broadcast), PixelRuns::kWhole, 0);
}

void BlockWalk::State::step(IfmBlock& out) {
  const auto piece_count = static_cast<std::uint64_t>(sub_kernels.count());
  out.index = step_index++;
  out.first = next_step == 0;
  const auto number = next_step++;
  out.last = next_step == steps;
  out.reads.clear();
  out.reads2.clear();
  out.weights.clear();
  if (op.kind == OpKind::kElementwise) return elementwise_step(out);

  const auto piece = sub_kernels.piece(static_cast<std::int64_t>(number % piece_count));
  int c0 = block.c0, c1 = block.c1;
  if (!keeps_channels(op)) {
    c0 = static_cast<int>(number / piece_count) * ifm_step_depth;
    c1 = std::min(c0 + ifm_step_depth, ifm_depth);
  }
  out.box = ifm_window(op, block, piece, c0, c1);
  out.fetched = !out.box.empty() && retention.fetch(out.box);
  if (out.fetched) append_box(out.reads, Channel::kReadIfm, op.ifm, out.box, PixelRuns::kWhole, 0);

  out.taps = piece.taps();
  const auto per_ublock = weight_blocks_per_ublock(op, out.taps, c1 - c0);
  out.mac.weight_blocks = per_ublock * ublocks_c;
  out.mac.cycles = weight_block_cycles(op, out.taps, ublocks_xy);
  out.mac.uses_weights = reads_weights(op);
  if (!reads_weights(op)) return;
  // Blocks of one position share the stream by their channels, the steps of a block by their weight blocks.
  const auto channels = static_cast<std::uint64_t>(block.c());
  const auto start = static_cast<std::uint64_t>(block.c0) * work;
  const Progress progress{start + channels * work_done, start + channels * (work_done + per_ublock),
                          static_cast<std::uint64_t>(op.ofm.c) * work};
  work_done += per_ublock;
  for (int core = 0; core < cores; ++core)
    append_share(out.weights, Channel::kReadWeights, op.weights[std::size_t(core)], progress, burst_bytes);
}

BlockWalk::BlockWalk(std::unique_ptr<State> state) : state_(std::move(state)) {}
BlockWalk::BlockWalk(BlockWalk&&) noexcept = default;
BlockWalk& BlockWalk::operator=(BlockWalk&&) noexcept = default;
BlockWalk::~BlockWalk() = default;

Result<BlockWalk> BlockWalk::create(const BlockOperation& op, const Accelerator& accelerator) {
  if (accelerator.family == Family::kU85)
    return fail(ErrorCode::kUnsupported, "the block walk of Ethos-U85 is not modelled");
  if (op.kind == OpKind::kResize) return fail(ErrorCode::kHardwareFault, "RESIZE is not an operation of this accelerator");
  MACAW_CHECK(check_operation(op));
  auto state = std::make_unique<State>(op, accelerator);
  const double steps = static_cast<double>(state->order.count()) * static_cast<double>(state->steps);
  if (steps > static_cast<double>(kMaxSteps))
    return fail(ErrorCode::kUnsupported, "the operation has more steps than a walk may take");
  const auto full = state->depth_blocks - 1;  // steps over depth that have all their channels
  const int rest = state->ifm_depth - static_cast<int>(full) * state->ifm_step_depth;
  for (std::int64_t i = 0; i < state->sub_kernels.count(); ++i) {
    const int taps = state->sub_kernels.piece(i).taps();
    state->work += full * weight_blocks_per_ublock(op, taps, state->ifm_step_depth);
    state->work += weight_blocks_per_ublock(op, taps, rest);
  }
  return BlockWalk(std::move(state));
}

std::uint64_t BlockWalk::block_count() const { return state_->order.count(); }
std::uint64_t BlockWalk::steps_per_block() const { return state_->steps; }

bool BlockWalk::next_block(OfmBlock& block) {
  auto& state = *state_;
  if (state.next_block != 0)
    for (IfmBlock skipped; next_step(skipped);) {
    }
  if (state.next_block == state.order.count()) return false;
  state.enter_block(block);
  return true;
}

bool BlockWalk::next_step(IfmBlock& step) {
  auto& state = *state_;
  if (state.next_block == 0 || state.next_step == state.steps) return false;
  state.step(step);
  return true;
}

Result<WalkTotals> walk_totals(const BlockOperation& op, const Accelerator& accelerator) {
  MACAW_ASSIGN(auto walk, BlockWalk::create(op, accelerator));
  const auto beat = static_cast<unsigned>(accelerator.beat_bytes);
  WalkTotals totals;
  IfmBlock step;
  for (OfmBlock block; walk.next_block(block);) {
    ++totals.blocks;
    totals.scale_beats += block.scales.beats(beat);
    totals.ofm_beats += block.writes.beats(beat);
    while (walk.next_step(step)) {
      ++totals.steps;
      totals.ifm_beats += step.reads.beats(beat);
      totals.ifm2_beats += step.reads2.beats(beat);
      totals.weight_beats += step.weights.beats(beat);
      totals.mac_active += step.mac.active();
    }
  }
  return totals;
}

}  // namespace macaw::npu
