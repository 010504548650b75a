#include "sim/functional/findings/block_dependency.hpp"

#include "sim/blocks/block_order.hpp"
#include "sim/blocks/walk.hpp"
#include "sim/blocks/window.hpp"

#include <algorithm>
#include <vector>

namespace macaw::npu {
namespace {

/// Runs of one region as an access; nullopt if there are none or they exceed the region.
std::optional<Access> access_of(std::vector<Transfer> runs, int region, const RegionLayout& layout) {
  const auto& binding = layout.regions[static_cast<std::size_t>(region)];
  const auto bounds = bounds_of(runs);
  if (!bounds || binding.memory < 0 || bounds->last > binding.size) return std::nullopt;
  return Access{{},
                false,
                binding.memory,
                binding.offset,
                {binding.offset + bounds->first, binding.offset + bounds->last},
                std::move(runs)};
}

/// The last `count` OFM blocks of an operation, the very last one first.
std::vector<Access> last_blocks(const BlockOperation& op, std::uint64_t count, const RegionLayout& layout) {
  const BlockOrder order({op.ofm.h, op.ofm.w, op.ofm.c}, op.block);
  std::vector<Access> blocks;
  for (std::uint64_t j = 0; j < std::min(count, order.count()); ++j) {
    auto runs = exact_runs(op.ofm, stored_box(op, order.box(order.count() - 1 - j)));
    if (auto access = access_of(std::move(runs), op.ofm.region, layout)) blocks.push_back(std::move(*access));
  }
  return blocks;
}

/// Rows or columns of one axis of a RESIZE that affect outputs [first, last). The NPU reads one more at the edges (U85
/// walk rules 2.8), which has no weight and may not have been written yet.
struct Taken {
  int begin, end;
};
Taken taken(int first, int last, const BlockOperation& op, bool rows) {
  const auto& r = op.resize_step;
  const std::int64_t n = rows ? r.n_y : r.n_x;
  const std::int64_t step =
      (rows ? r.one_step_int_y : r.one_step_int_x) * n + (rows ? r.one_step_mod_y : r.one_step_mod_x);
  const std::int64_t offset = rows ? r.offset_y : r.offset_x, extent = rows ? op.ifm.h : op.ifm.w;
  const auto sample = [&](int out, bool upper) {
    const std::int64_t position = out * step + offset;
    const std::int64_t low = (position - ((position % n + n) % n)) / n, fraction = position - low * n;
    const bool next = op.resize == ResizeFilter::kNearest    ? 2 * fraction >= n
                      : op.resize == ResizeFilter::kBilinear ? upper && fraction > 0
                                                             : false;
    return static_cast<int>(std::clamp<std::int64_t>(low + (next ? 1 : 0), 0, extent - 1));
  };
  return {sample(first, false), sample(last - 1, true) + 1};
}

/// The part of a step's IFM box that affects values.
Box used_box(const BlockOperation& op, const Box& ofm, const Box& box) {
  if (op.kind != OpKind::kResize) return box;
  const Taken y = taken(ofm.y0, ofm.y1, op, true), x = taken(ofm.x0, ofm.x1, op, false);
  return {std::max(box.y0, y.begin),
          std::min(box.y1, y.end),
          std::max(box.x0, x.begin),
          std::min(box.x1, x.end),
          box.c0,
          box.c1};
}

/// Reads of the first `count` steps of an operation. The depth blocks of every OFM block are visited in ascending
/// order, as in Vela's calculation; U85 reverses the order with every OFM block (timing 6.5).
std::vector<std::vector<Access>> first_reads(const BlockOperation& op, BlockWalk& walk, std::uint64_t count,
                                             const RegionLayout& layout) {
  struct Step {
    int first_channel;
    std::vector<Access> reads;
  };
  std::vector<std::vector<Access>> out;
  OfmBlock block;
  IfmBlock step;
  while (out.size() < count && walk.next_block(block)) {
    std::vector<Step> steps;
    while (walk.next_step(step)) {
      auto& reads = steps.emplace_back(Step{step.box.c0, {}}).reads;
      if (step.fetched)
        if (auto access = access_of(exact_runs(op.ifm, used_box(op, block.box, step.box)), op.ifm.region, layout))
          reads.push_back(std::move(*access));
      if (auto access = access_of({step.reads2.begin(), step.reads2.end()}, op.ifm2.region, layout))
        reads.push_back(std::move(*access));
    }
    std::ranges::stable_sort(steps, {}, &Step::first_channel);
    for (auto& sorted : steps) out.push_back(std::move(sorted.reads));
  }
  if (out.size() > count) out.resize(count);
  return out;
}

}  // namespace

std::optional<BlockConflict> uncovered_dependency(const BlockOperation& previous, const BlockOperation& op,
                                                  const Accelerator& accelerator, const RegionLayout& layout) {
  const bool stores =
      previous.acc_output && (previous.ofm.storage == Storage::kTile2x2 || previous.ofm.storage == Storage::kTile3x1);
  if (op.blockdep <= 0 || !stores) return std::nullopt;
  auto walk = BlockWalk::create(op, accelerator);
  if (!walk || !BlockWalk::create(previous, accelerator)) return std::nullopt;
  const auto depth = static_cast<std::uint64_t>(op.blockdep);
  const auto blocks = last_blocks(previous, depth, layout);
  const std::uint64_t count = BlockOrder({previous.ofm.h, previous.ofm.w, previous.ofm.c}, previous.block).count();
  const auto reads = first_reads(op, *walk, depth, layout);
  for (std::uint64_t i = 0; i < reads.size(); ++i)
    for (const auto& read : reads[i])
      for (std::uint64_t j = 0; j < std::min<std::uint64_t>(depth - i, blocks.size()); ++j)
        if (const auto range = overlap(blocks[j], read)) return BlockConflict{i, count - 1 - j, count, *range};
  return std::nullopt;
}

}  // namespace macaw::npu
