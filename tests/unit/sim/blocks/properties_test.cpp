#include "sim/blocks/walk.hpp"

#include <catch2/catch.hpp>

#include <cstdint>
#include <limits>
#include <random>

using namespace macaw::npu;

namespace {

class Maker {
 public:
  explicit Maker(unsigned seed) : random_(seed) {}
  int pick(int low, int high) {
    return low + static_cast<int>(random_() % (std::uint64_t(high) - std::uint64_t(low) + 1));
  }

  const Accelerator& accelerator() { return accelerators()[random_() % accelerators().size()]; }

  FeatureMap map(int h, int w, int c) {
    FeatureMap fm;
    fm.layout = pick(0, 1) == 0 ? Layout::kNHWC : Layout::kNHCWB16;
    fm.bits = 8 << pick(0, 1);
    fm.h = h, fm.w = w, fm.c = c;
    fm.width0 = pick(1, w), fm.height0 = pick(1, h), fm.height1 = pick(1, h);
    for (auto& base : fm.base) base = 16 * std::uint64_t(pick(0, 1000));
    fm.stride_x = c * fm.bytes();
    fm.stride_c = w * 16 * fm.bytes();
    fm.stride_y = fm.layout == Layout::kNHWC ? w * fm.stride_x : (c + 15) / 16 * fm.stride_c;
    return fm;
  }

  BlockOperation operation(const Accelerator& npu) {
    BlockOperation op;
    op.family = npu.family;
    constexpr OpKind kKinds[] = {OpKind::kConv, OpKind::kDepthwise, OpKind::kPool, OpKind::kElementwise};
    op.kind = kKinds[pick(0, 3)];
    op.pool = static_cast<PoolMode>(pick(0, 2));
    const int oh = pick(1, 12), ow = pick(1, 12), oc = pick(1, 70);
    op.ofm = map(oh, ow, oc);
    auto& k = op.kernel;
    k.dilation_y = pick(1, 2), k.dilation_x = pick(1, 2);
    k.height = (pick(1, 12) - 1) * k.dilation_y + 1;
    k.width = (pick(1, 12) - 1) * k.dilation_x + 1;
    k.stride_y = pick(1, 3), k.stride_x = pick(1, 3);
    k.part_kernel_first = pick(0, 1) != 0;
    k.pad_top = pick(0, k.height - 1), k.pad_left = pick(0, k.width - 1);
    op.ifm = map(std::max(1, op.upscaled_h()), std::max(1, op.upscaled_w()), pick(1, 150));
    op.ifm2 = map(oh, ow, oc);
    op.block = {pick(1, 8), pick(1, 8), 8 * pick(1, 5)};
    op.weights[0] = {0, 16 * std::uint64_t(pick(0, 100)), 16 * std::uint64_t(pick(1, 300))};
    op.scales[0] = {0, 16 * std::uint64_t(pick(0, 100)), 10 * std::uint64_t(oc)};
    op.dual_core = npu.cores == 2 && pick(0, 1) != 0;
    return op;
  }

 private:
  std::mt19937_64 random_;
};

}  // namespace

TEST_CASE("a walk covers the OFM once and reads its streams once per position") {
  Maker make(5);
  for (int round = 0; round < 1500; ++round) {
    const auto& npu = make.accelerator();
    const auto op = make.operation(npu);
    CAPTURE(round, npu.name);
    auto walk = BlockWalk::create(op, npu);
    REQUIRE(walk);
    std::uint64_t elements = 0, blocks = 0, weights = 0, scales = 0, positions = 0, steps = 0;
    IfmBlock step;
    OfmBlock block;
    while (walk->next_block(block)) {
      CHECK(block.index == blocks++);
      elements += block.elements;
      positions += block.box.c0 == 0 ? 1 : 0;
      scales += block.scales.bytes();
      std::uint64_t in_block = 0;
      while (walk->next_step(step)) {
        CHECK(step.index == steps++);
        CHECK(step.first == (in_block == 0));
        ++in_block;
        CHECK(step.last == (in_block == walk->steps_per_block()));
        CHECK(step.fetched == !step.reads.empty());
        if (op.kind != OpKind::kElementwise) {
          CHECK(step.box.y1 <= op.ifm.h);
          CHECK(step.box.x1 <= op.ifm.w);
        }
        weights += step.weights.bytes();
      }
      CHECK(in_block == walk->steps_per_block());
    }
    CHECK(block.last);
    CHECK(blocks == walk->block_count());
    CHECK(elements == std::uint64_t(op.ofm.h) * std::uint64_t(op.ofm.w) * std::uint64_t(op.ofm.c));
    CHECK(weights == (op.has_weights() ? positions * op.weights[0].length : 0));
    CHECK(scales == (op.has_scales() ? positions * op.scales[0].length : 0));
  }
}

TEST_CASE("an IFM block that fits is never fetched twice in a row") {
  Maker make(9);
  for (int round = 0; round < 500; ++round) {
    const auto& npu = make.accelerator();
    auto op = make.operation(npu);
    op.kind = OpKind::kConv;
    op.kernel = {};
    op.ifm = make.map(op.ofm.h, op.ofm.w, make.pick(1, 16));
    op.block.h = op.ofm.h, op.block.w = op.ofm.w;
    std::uint64_t fetched = 0;
    auto walk = BlockWalk::create(op, npu);
    REQUIRE(walk);
    IfmBlock step;
    for (OfmBlock block; walk->next_block(block);)
      while (walk->next_step(step)) fetched += step.fetched ? 1 : 0;
    CHECK(fetched == 1);
  }
}

TEST_CASE("fields of any value end in a walk or an error") {
  Maker make(13);
  constexpr int kOdd[] = {0, -1, 1, 65536, 65537, std::numeric_limits<int>::max(), std::numeric_limits<int>::min()};
  const auto odd = [&] { return kOdd[make.pick(0, std::size(kOdd) - 1)]; };
  int refused = 0;
  for (int round = 0; round < 3000; ++round) {
    const auto& npu = make.accelerator();
    auto op = make.operation(npu);
    int* const fields[] = {&op.ofm.h,
                           &op.ofm.w,
                           &op.ofm.c,
                           &op.ifm.h,
                           &op.ifm.w,
                           &op.ifm.c,
                           &op.block.h,
                           &op.block.w,
                           &op.block.c,
                           &op.kernel.height,
                           &op.kernel.width,
                           &op.kernel.stride_x,
                           &op.kernel.stride_y,
                           &op.kernel.dilation_x,
                           &op.kernel.dilation_y,
                           &op.kernel.pad_top,
                           &op.kernel.pad_left,
                           &op.ofm.width0,
                           &op.ofm.height0,
                           &op.ofm.height1,
                           &op.ifm.width0,
                           &op.ifm.height1,
                           &op.ifm.bits,
                           &op.ublock.h,
                           &op.ublock.c,
                           &op.kernel.decomposition,
                           &op.transpose,
                           &op.reverse};
    for (int n = make.pick(1, 3); n > 0; --n) *fields[make.pick(0, std::size(fields) - 1)] = odd();
    op.ifm.stride_x = std::numeric_limits<std::int64_t>::min() + make.pick(0, 100);
    op.ofm.stride_y = std::numeric_limits<std::int64_t>::max() - make.pick(0, 100);
    op.weights[0].base = std::numeric_limits<std::uint64_t>::max() - std::uint64_t(make.pick(0, 1000));
    op.weights[0].length = std::numeric_limits<std::uint64_t>::max() - std::uint64_t(make.pick(0, 1000));
    auto walk = BlockWalk::create(op, npu);
    if (!walk) {
      ++refused;
      continue;
    }
    IfmBlock step;
    OfmBlock block;
    std::uint64_t beats = 0;
    // Steps that are not pulled are walked by next_block().
    const int blocks = walk->steps_per_block() < 1000 ? 20 : 1;
    for (int i = 0; i < blocks && walk->next_block(block); ++i) {
      beats += block.writes.beats(8);
      for (int j = 0; j < 20 && walk->next_step(step); ++j) beats += step.reads.beats(8) + step.weights.beats(8);
    }
    if (op.acc_output && op.ofm.storage == macaw::npu::Storage::kTile2x2) CHECK(beats != 0);
  }
  CHECK(refused > 100);
  CHECK(refused < 2900);
}
