#include "sim/blocks/walk.hpp"

#include "sim/blocks/block_order.hpp"
#include "sim/blocks/box_transfers.hpp"
#include "sim/blocks/generation.hpp"
#include "sim/blocks/retention.hpp"
#include "sim/blocks/rules.hpp"
#include "sim/blocks/stream_share.hpp"
#include "sim/blocks/window.hpp"
#include "sim/isa/geometry.hpp"

#include <algorithm>
#include <string>

namespace macaw::npu {
namespace {

constexpr int kMaxExtent = 65536;  // 16-bit registers that hold extent - 1
constexpr int kMaxStride = 4096;

std::uint64_t count(int extent, int piece) {
  return (std::uint64_t(extent) + std::uint64_t(piece) - 1) / std::uint64_t(piece);
}

Result<void> check(bool ok, const char* what) {
  if (ok) return {};
  return fail(ErrorCode::kHardwareFault, std::string(what) + " out of range");
}

bool extent_ok(int value) { return value >= 1 && value <= kMaxExtent; }
bool bits_ok(int bits) { return bits == 8 || bits == 16 || bits == 32 || bits == 64; }

Result<void> check_resize(const BlockOperation& op) {
  const auto& r = op.resize_step;
  MACAW_CHECK(check(extent_ok(op.ifm.h) && extent_ok(op.ifm.w), "IFM extent"));
  MACAW_CHECK(check(extent_ok(r.n_y) && extent_ok(r.n_x), "resize numerator"));
  for (const int value : {r.one_step_int_y, r.one_step_int_x, r.one_step_mod_y, r.one_step_mod_x})
    MACAW_CHECK(check(value >= 0 && value <= kMaxExtent, "resize step"));
  return {};
}

Result<void> check_operation(const BlockOperation& op, const Accelerator& accelerator) {
  const auto& k = op.kernel;
  const auto ublock = ofm_ublock(op, accelerator);
  MACAW_CHECK(check(extent_ok(ublock.h) && extent_ok(ublock.w) && extent_ok(ublock.c), "micro-block"));
  MACAW_CHECK(check(extent_ok(op.ofm.h) && extent_ok(op.ofm.w) && extent_ok(op.ofm.c), "OFM extent"));
  MACAW_CHECK(check(extent_ok(op.block.h) && extent_ok(op.block.w) && extent_ok(op.block.c), "OFM block"));
  MACAW_CHECK(check(bits_ok(op.ifm.bits) && bits_ok(op.ofm.bits) && bits_ok(op.ifm2.bits), "element size"));
  if (op.kind == OpKind::kElementwise) return {};
  if (op.kind == OpKind::kResize) return check_resize(op);
  MACAW_CHECK(check(extent_ok(k.height) && extent_ok(k.width), "kernel"));
  MACAW_CHECK(check(k.stride_y >= 1 && k.stride_y <= kMaxStride && k.stride_x >= 1 && k.stride_x <= kMaxStride,
                    "kernel stride"));
  MACAW_CHECK(check(extent_ok(k.dilation_y) && extent_ok(k.dilation_x) && extent_ok(k.decomposition),
                    "kernel dilation or decomposition"));
  // No rows or columns: every tap of the operation is in the padding.
  const auto ifm_ok = [](int extent) { return extent >= 0 && extent <= kMaxExtent; };
  MACAW_CHECK(check(ifm_ok(op.ifm.h) && ifm_ok(op.ifm.w), "IFM extent"));
  return check(keeps_channels(op) || extent_ok(op.ifm.c), "IFM depth");
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
  const blocks::Generation& generation;
  WalkRules rules;
  unsigned burst_bytes;
  Hwc ublock;  // all cores together
  BlockOrder order;
  SubKernels sub_kernels;
  Retention retention;
  int ifm_depth;               // channels that the steps of a block cover
  int step_depth;              // channels of one step
  std::uint64_t depth_blocks;  // steps of a block over depth
  std::uint64_t pieces;        // steps of a block over the kernel
  int tap_group;               // see mac_work.hpp
  std::uint64_t work = 0;      // weight blocks of all steps of a block, per micro-block in depth

  std::uint64_t next_block = 0;  // index of the block that next_block() returns
  std::uint64_t next_step = 0;   // in the current block
  std::uint64_t step_index = 0;  // in the operation
  std::uint64_t work_done = 0;   // weight blocks of the steps done in this block, per micro-block in depth
  Box block;
  std::uint64_t ublocks_xy = 0, ublocks_c = 0;
  std::size_t keep = 0;  // IFM blocks that may be kept during this OFM block

  State(const BlockOperation& operation, const Accelerator& accelerator);
  [[nodiscard]] std::uint64_t steps() const { return depth_blocks * pieces; }
  [[nodiscard]] UblockWork work_of(const SubKernel& piece, int channels) const {
    return generation.ublock_work(op, piece, channels);
  }
  [[nodiscard]] std::size_t kept_blocks() const;
  void enter_block(OfmBlock& out);
  void step(IfmBlock& out);
  void elementwise_step(IfmBlock& out);
  void fetch(IfmBlock& out);
  void share_weights(IfmBlock& out, std::uint64_t weight_blocks);
};

BlockWalk::State::State(const BlockOperation& operation, const Accelerator& accelerator)
    : op(operation),
      generation(blocks::generation(accelerator.family)),
      rules(walk_rules(operation, accelerator)),
      burst_bytes(static_cast<unsigned>(accelerator.burst_bytes)),
      ublock(ofm_ublock(operation, accelerator)),
      order({op.ofm.h, op.ofm.w, op.ofm.c}, op.block),
      sub_kernels(one_step(op) ? Kernel{} : op.kernel, rules.cut) {
  ublock.c *= active_cores(op, accelerator);
  const bool one_depth = one_step(op) || keeps_channels(op);
  ifm_depth = one_depth ? op.block.c : op.ifm.c;
  step_depth = one_depth ? op.block.c : ifm_block_depth(op, accelerator);
  depth_blocks = count(ifm_depth, step_depth);
  pieces = static_cast<std::uint64_t>(sub_kernels.count());
  tap_group = generation.tap_group(op);

  const auto full = depth_blocks - 1;  // steps over depth with all their channels
  const int rest = ifm_depth - static_cast<int>(full) * step_depth;
  sub_kernels.for_each_shape([&](const SubKernel& piece, std::int64_t number) {
    const auto blocks = full * work_of(piece, step_depth).weight_blocks + work_of(piece, rest).weight_blocks;
    work += blocks * static_cast<std::uint64_t>(number);
  });
}

/// Rule: timing 6.5: as many as fit the IFM buffer at the size of the unclipped window of this OFM block.
std::size_t BlockWalk::State::kept_blocks() const {
  if (rules.retained == 0 || rules.ifm_ram_bytes == 0) return static_cast<std::size_t>(rules.retained);
  const auto extent = [](int size, int stride, int kernel) { return std::int64_t(size - 1) * stride + kernel; };
  const std::int64_t window =
      extent(block.h(), op.kernel.stride_y, op.kernel.height) * extent(block.w(), op.kernel.stride_x, op.kernel.width);
  if (window >= rules.ifm_ram_bytes) return 1;
  const std::int64_t bytes = window * std::min(step_depth, (op.ifm.c + 7) / 8 * 8) * op.ifm.bytes();
  return static_cast<std::size_t>(std::clamp<std::int64_t>(rules.ifm_ram_bytes / bytes, 1, rules.retained));
}

void BlockWalk::State::enter_block(OfmBlock& out) {
  block = order.box(next_block);
  ublocks_xy = count(block.h(), ublock.h) * count(block.w(), ublock.w);
  ublocks_c = count(block.c(), ublock.c);
  keep = kept_blocks();
  next_step = 0;
  work_done = 0;

  out.index = next_block++;
  out.last = next_block == order.count();
  out.box = block;
  out.elements = block.elements();
  out.ublocks_xy = ublocks_xy;
  out.ublocks_c = ublocks_c;
  out.scales.clear();
  if (op.has_scales()) {
    const Progress share{std::uint64_t(block.c0), std::uint64_t(block.c1), std::uint64_t(op.ofm.c)};
    for (int i = 0; i < rules.scale_streams; ++i)
      append_share(out.scales, Channel::kReadScaleBias, op.scales[std::size_t(i)], share, burst_bytes);
  }
  out.writes.clear();
  if (op.acc_output) append_box(out.writes, Channel::kWriteOfm, op.ofm, stored_box(op, block), rules.writes);
}

void BlockWalk::State::elementwise_step(IfmBlock& out) {
  out.box = op.kind == OpKind::kResize ? resize_window(op, block) : broadcast(block, op.ifm_broadcast);
  out.fetched = !op.ifm_broadcast.scalar;
  if (out.fetched) append_box(out.reads, rules.elementwise_reads, op.ifm, out.box, rules.reads);
  if (op.has_ifm2())
    append_box(out.reads2, rules.elementwise_reads, op.ifm2, broadcast(block, op.ifm2_broadcast), rules.reads);
}

void BlockWalk::State::fetch(IfmBlock& out) {
  if (out.box.empty()) {
    out.fetched = false;
    return;
  }
  Box key = out.box;
  if (rules.retain_by_position) key.y0 = block.y0, key.y1 = block.y1, key.x0 = block.x0, key.x1 = block.x1;
  out.fetched = retention.fetch(key, keep, rules.refresh);
  if (out.fetched) append_box(out.reads, Channel::kReadIfm, op.ifm, out.box, rules.reads);
}

/// OFM blocks of one position share the streams in proportion to their channels, the steps of a block to their weight
/// blocks.
void BlockWalk::State::share_weights(IfmBlock& out, std::uint64_t weight_blocks) {
  const auto channels = static_cast<std::uint64_t>(block.c());
  const auto start = static_cast<std::uint64_t>(block.c0) * work;
  const Progress share{start + channels * work_done, start + channels * (work_done + weight_blocks),
                       static_cast<std::uint64_t>(op.ofm.c) * work};
  work_done += weight_blocks;
  for (int i = 0; i < rules.weight_streams; ++i)
    append_share(out.weights, Channel::kReadWeights, op.weights[std::size_t(i)], share, burst_bytes);
}

void BlockWalk::State::step(IfmBlock& out) {
  const auto number = next_step++;
  out.index = step_index++;
  out.first = number == 0;
  out.last = next_step == steps();
  out.reads.clear();
  out.reads2.clear();
  out.weights.clear();

  auto depth = number / pieces;
  if (rules.serpentine && next_block % 2 == 0) depth = depth_blocks - 1 - depth;
  const auto piece = sub_kernels.piece(static_cast<std::int64_t>(number % pieces));
  int c0 = block.c0, c1 = block.c1;
  if (!one_step(op) && !keeps_channels(op)) {
    c0 = static_cast<int>(depth) * step_depth;
    c1 = std::min(c0 + step_depth, ifm_depth);
  }
  out.taps = piece.taps();
  const auto per_ublock = work_of(piece, c1 - c0);
  out.mac.weight_blocks = per_ublock.weight_blocks * ublocks_c;
  out.mac.cycles = per_ublock.cycles * ublocks_xy;
  out.mac.uses_weights = op.has_weights();
  out.mac.tap_group = tap_group;
  out.kept = keep;
  if (one_step(op)) return elementwise_step(out);

  out.box = ifm_window(op, block, piece, c0, c1);
  fetch(out);
  if (op.has_weights()) share_weights(out, per_ublock.weight_blocks);
  // Not measured: an accumulator source is read once per OFM block, the channels of a weight matrix once per step.
  if (op.weights_from_ifm2)
    append_box(out.reads2, Channel::kReadIfm, op.ifm2, {0, 1, block.c0, block.c1, c0, c1}, rules.reads);
  else if (op.has_ifm2() && out.first) append_box(out.reads2, Channel::kReadIfm, op.ifm2, block, rules.reads);
}

BlockWalk::BlockWalk(std::unique_ptr<State> state) : state_(std::move(state)) {}
BlockWalk::BlockWalk(BlockWalk&&) noexcept = default;
BlockWalk& BlockWalk::operator=(BlockWalk&&) noexcept = default;
BlockWalk::~BlockWalk() = default;

Result<BlockWalk> BlockWalk::create(const BlockOperation& op, const Accelerator& accelerator, bool separate_pixels) {
  MACAW_CHECK(check_operation(op, accelerator));
  auto state = std::make_unique<State>(op, accelerator);
  state->rules.writes.join = !separate_pixels;
  const double steps = static_cast<double>(state->order.count()) * static_cast<double>(state->steps());
  if (steps > static_cast<double>(kMaxSteps))
    return fail(ErrorCode::kUnsupported, "the operation has more steps than a walk may take");
  return BlockWalk(std::move(state));
}

std::uint64_t BlockWalk::block_count() const { return state_->order.count(); }
std::uint64_t BlockWalk::steps_per_block() const { return state_->steps(); }

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
  if (state.next_block == 0 || state.next_step == state.steps()) return false;
  state.step(step);
  return true;
}

void WalkTotals::add(const OfmBlock& block, unsigned beat_bytes) {
  ++blocks;
  scale_beats += block.scales.beats(beat_bytes);
  ofm_beats += block.writes.beats(beat_bytes);
}

void WalkTotals::add(const IfmBlock& step, unsigned beat_bytes) {
  ++steps;
  ifm_beats += step.reads.beats(beat_bytes);
  ifm2_beats += step.reads2.beats(beat_bytes);
  weight_beats += step.weights.beats(beat_bytes);
  mac_active += step.mac.active();
}

Result<WalkTotals> walk_totals(const BlockOperation& op, const Accelerator& accelerator) {
  MACAW_ASSIGN(auto walk, BlockWalk::create(op, accelerator));
  const auto beat = static_cast<unsigned>(accelerator.beat_bytes);
  WalkTotals totals;
  IfmBlock step;
  for (OfmBlock block; walk.next_block(block);) {
    totals.add(block, beat);
    while (walk.next_step(step)) totals.add(step, beat);
  }
  return totals;
}

}  // namespace macaw::npu
