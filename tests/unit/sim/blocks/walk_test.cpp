#include "sim/blocks/walk.hpp"

#include "sim/blocks/sub_kernel.hpp"
#include "sim/blocks/window.hpp"
#include "tests/support/accelerator.hpp"

#include <catch2/catch.hpp>

#include <vector>

using namespace macaw::npu;
using macaw::test::accelerator;

namespace {

FeatureMap nhwc(int h, int w, int c, std::uint64_t base = 0, int bits = 8) {
  FeatureMap fm;
  fm.bits = bits;
  fm.h = h, fm.w = w, fm.c = c;
  fm.height0 = fm.height1 = h;
  fm.width0 = w;
  fm.base[0] = base;
  fm.stride_x = c * fm.bytes();
  fm.stride_y = w * fm.stride_x;
  fm.stride_c = fm.bytes();
  return fm;
}

FeatureMap bricks(int h, int w, int c, std::uint64_t base = 0, int bits = 8) {
  FeatureMap fm = nhwc(h, w, c, base, bits);
  fm.layout = Layout::kNHCWB16;
  fm.stride_c = w * 16 * fm.bytes();
  fm.stride_y = (c + 15) / 16 * fm.stride_c;
  return fm;
}

BlockOperation convolution(FeatureMap ifm, FeatureMap ofm, Kernel kernel, Hwc block) {
  BlockOperation op;
  op.ifm = ifm, op.ofm = ofm, op.kernel = kernel, op.block = block;
  op.weights[0] = {0, 0, 4096};
  op.scales[0] = {0, 8192, 160};
  return op;
}

Kernel square(int size, int stride = 1, int pad = 0) {
  Kernel k;
  k.height = k.width = size;
  k.stride_y = k.stride_x = stride;
  k.pad_top = k.pad_left = k.pad_bottom = k.pad_right = pad;
  return k;
}

WalkTotals totals(const BlockOperation& op, const char* name) {
  const auto result = walk_totals(op, accelerator(name));
  REQUIRE(result);
  return *result;
}

struct Seen {
  std::vector<OfmBlock> blocks;
  std::vector<IfmBlock> steps;
};
Seen walk_all(const BlockOperation& op, const char* name) {
  auto walk = BlockWalk::create(op, accelerator(name));
  REQUIRE(walk);
  Seen seen;
  IfmBlock step;
  for (OfmBlock block; walk->next_block(block);) {
    seen.blocks.push_back(block);
    while (walk->next_step(step)) seen.steps.push_back(step);
  }
  return seen;
}

}  // namespace

TEST_CASE("OFM blocks run over depth first, then width, then height, clipped to the OFM") {
  const auto seen = walk_all(convolution(nhwc(5, 6, 16), nhwc(5, 6, 24), square(1), {4, 4, 16}), "ethos-u55-128");
  std::vector<Box> boxes;
  for (const auto& block : seen.blocks) boxes.push_back(block.box);
  CHECK(boxes == std::vector<Box>{{0, 4, 0, 4, 0, 16},
                                  {0, 4, 0, 4, 16, 24},
                                  {0, 4, 4, 6, 0, 16},
                                  {0, 4, 4, 6, 16, 24},
                                  {4, 5, 0, 4, 0, 16},
                                  {4, 5, 0, 4, 16, 24},
                                  {4, 5, 4, 6, 0, 16},
                                  {4, 5, 4, 6, 16, 24}});
  CHECK(seen.blocks.back().last);
  CHECK_FALSE(seen.blocks.front().last);
  CHECK(seen.blocks.front().ublocks_xy == 8);
  CHECK(seen.blocks.front().ublocks_c == 2);
}

TEST_CASE("an IFM of one or two depth blocks is fetched once per position, of three once per block") {
  const auto fetches = [](int channels) {
    const auto op = convolution(nhwc(4, 4, channels), nhwc(4, 4, 32), square(1), {4, 4, 8});
    int fetched = 0;
    for (const auto& step : walk_all(op, "ethos-u55-128").steps) fetched += step.fetched ? 1 : 0;
    return fetched;
  };
  CHECK(fetches(32) == 1);
  CHECK(fetches(64) == 2);
  CHECK(fetches(96) == 3 * 4);
}

TEST_CASE("U55 knows an IFM block by its window, U85 by the place of the OFM block") {
  // Each output row sees the one row of the input through another row of the kernel.
  Kernel rows;
  rows.height = 6;
  rows.pad_top = rows.pad_bottom = 5;
  const auto fetches = [&](const char* name) {
    int fetched = 0;
    for (const auto& step : walk_all(convolution(nhwc(1, 4, 16), nhwc(6, 4, 16), rows, {2, 4, 16}), name).steps)
      fetched += step.fetched ? 1 : 0;
    return fetched;
  };
  CHECK(fetches("ethos-u55-128") == 1);
  CHECK(fetches("ethos-u85-256") == 3);
}

TEST_CASE("kernels beyond eight taps are cut from the top left and never reuse a block") {
  Kernel k = square(10);
  k.width = 25;
  const SubKernels pieces(k);
  CHECK(pieces.count() == 2 * 4);
  CHECK(pieces.piece(0).taps() == 64);
  CHECK(pieces.piece(3).taps() == 8);
  CHECK(pieces.piece(7).taps() == 2);

  const auto op = convolution(nhwc(10, 1, 8), nhwc(1, 1, 32),
                              [] {
                                Kernel tall = square(1);
                                tall.height = 10;
                                return tall;
                              }(),
                              {1, 1, 8});
  const auto seen = walk_all(op, "ethos-u55-128");
  REQUIRE(seen.steps.size() == 4 * 2);
  CHECK(seen.steps[0].box == Box{0, 8, 0, 1, 0, 8});
  CHECK(seen.steps[1].box == Box{8, 10, 0, 1, 0, 8});
  for (const auto& step : seen.steps) CHECK(step.fetched);
}

TEST_CASE("windows are clipped, padding is free, strides read what they pass over") {
  const auto op = convolution(nhwc(8, 8, 8), nhwc(4, 4, 8),
                              [] {
                                Kernel k = square(3, 2, 1);
                                k.pad_bottom = k.pad_right = 0;
                                return k;
                              }(),
                              {2, 2, 8});
  CHECK(ifm_window(op, {0, 2, 0, 2, 0, 8}, {0, 3, 0, 3}, 0, 8) == Box{0, 4, 0, 4, 0, 8});
  CHECK(ifm_window(op, {2, 4, 2, 4, 0, 8}, {0, 3, 0, 3}, 0, 8) == Box{3, 8, 3, 8, 0, 8});
}

TEST_CASE("an upscaled window is halved outwards") {
  auto op = convolution(nhwc(4, 4, 8), nhwc(8, 8, 8), square(3, 1, 1), {4, 4, 8});
  op.upscale = Upscale::kNearest;
  CHECK(ifm_window(op, {0, 4, 4, 8, 0, 8}, {0, 3, 0, 3}, 0, 8) == Box{0, 3, 1, 4, 0, 8});
}

TEST_CASE("a window that lies in the padding is not fetched but keeps its MAC work") {
  const auto op = convolution(nhwc(1, 1, 8), nhwc(3, 1, 8),
                              [] {
                                Kernel k = square(1);
                                k.pad_top = k.pad_bottom = 1;
                                return k;
                              }(),
                              {1, 1, 8});
  const auto seen = walk_all(op, "ethos-u55-128");
  REQUIRE(seen.steps.size() == 3);
  CHECK_FALSE(seen.steps[0].fetched);
  CHECK(seen.steps[1].fetched);
  CHECK(seen.steps[0].reads.empty());
  CHECK(seen.steps[0].mac.active() == seen.steps[1].mac.active());
}

TEST_CASE("bricks are read whole, pixels of NHWC one by one unless they touch") {
  const auto beats = [](const FeatureMap& ifm, const char* name) {
    return totals(convolution(ifm, bricks(4, 4, 8), square(1), {4, 4, 8}), name).ifm_beats;
  };
  CHECK(beats(bricks(4, 4, 3), "ethos-u55-128") == 4 * 4 * 2);
  CHECK(beats(bricks(4, 4, 3), "ethos-u65-256") == 4 * 4);
  CHECK(beats(bricks(4, 4, 3, 0, 16), "ethos-u55-128") == 4 * 4 * 4);
  CHECK(beats(nhwc(4, 4, 3), "ethos-u55-128") == 2 + 2 + 2 + 2);  // rows of 12 bytes at 0, 12, 24, 36
  auto strided = nhwc(4, 4, 3);
  strided.stride_x = 16, strided.stride_y = 64;
  CHECK(beats(strided, "ethos-u55-128") == 16);
}

TEST_CASE("NHWC writes go in chunks of 16 elements per core, except narrow rows") {
  const auto beats = [](const FeatureMap& ofm, int depth, const char* name, bool dual = false) {
    auto op = convolution(nhwc(ofm.h, ofm.w, 8), ofm, square(1), {ofm.h, ofm.w, depth});
    op.dual_core = dual;
    return totals(op, name).ofm_beats;
  };
  CHECK(beats(nhwc(1, 2, 20), 32, "ethos-u55-128") == (2 + 1) + (3 + 1));  // 16+4 bytes at 0 and 20: 20 % 8 = 4
  CHECK(beats(nhwc(1, 3, 4), 8, "ethos-u55-128") == 2);
  CHECK(beats(nhwc(1, 3, 4), 8, "ethos-u65-256") == 1);
  CHECK(beats(nhwc(1, 1, 40, 8), 64, "ethos-u65-256") == 2 + 2 + 1);
  CHECK(beats(nhwc(1, 1, 40, 8), 64, "ethos-u65-512", true) == 3 + 1);
}

TEST_CASE("a box that crosses tiles uses the base of each tile and breaks its runs") {
  auto ifm = nhwc(6, 4, 4);
  ifm.height0 = 4;
  ifm.base = {0, 0, 1024, 0};
  const auto seen = walk_all(convolution(ifm, nhwc(6, 4, 8), square(1), {6, 4, 8}), "ethos-u55-128");
  REQUIRE(seen.steps.size() == 1);
  const auto& reads = seen.steps[0].reads;
  REQUIRE(reads.size() == 2);
  CHECK(reads[0].address == 0);
  CHECK(reads[0].levels[0].count == 4);
  CHECK(reads[1].address == 1024);
  CHECK(reads[1].levels[0].count == 2);

  ifm.width0 = 3, ifm.height1 = 2;
  ifm.base = {0, 256, 1024, 2048};
  const auto four = walk_all(convolution(ifm, nhwc(6, 4, 8), square(1), {6, 4, 8}), "ethos-u55-128");
  REQUIRE(four.steps[0].reads.size() == 4);
  CHECK(four.steps[0].reads[3].address == 2048);
  CHECK(four.steps[0].reads[3].levels[0].count == 4);
  CHECK(four.steps[0].reads[3].run == 4);
}

TEST_CASE("streams are read once per position of the block in height and width") {
  auto op = convolution(nhwc(8, 8, 64), nhwc(8, 8, 64), square(3, 1, 1), {4, 4, 16});
  const auto seen = totals(op, "ethos-u55-128");
  CHECK(seen.weight_beats == 4 * 4096 / 8);
  CHECK(seen.scale_beats == 4 * 160 / 8);
  op.dual_core = true;
  op.weights[1] = {0, 16384, 2048};
  CHECK(totals(op, "ethos-u65-512").weight_beats == 4 * (4096 + 2048) / 16);
  op.kind = OpKind::kPool;
  op.pool = PoolMode::kAverage;
  CHECK(totals(op, "ethos-u65-512").weight_beats == 0);
  CHECK(totals(op, "ethos-u65-512").scale_beats == 0);
}

TEST_CASE("elementwise operands are read once per block, broadcast axes as one element, scalars not at all") {
  BlockOperation op;
  op.kind = OpKind::kElementwise;
  op.ifm = op.ifm2 = op.ofm = nhwc(4, 4, 16);
  op.block = {2, 4, 16};
  CHECK(totals(op, "ethos-u55-128").ifm_beats == 32);
  CHECK(totals(op, "ethos-u55-128").ifm2_beats == 32);
  op.ifm2 = nhwc(1, 1, 16);
  op.ifm2_broadcast.h = op.ifm2_broadcast.w = true;
  CHECK(totals(op, "ethos-u55-128").ifm2_beats == 2 * 2);
  op.ifm2_broadcast = {};
  op.ifm2_broadcast.scalar = true;
  CHECK(totals(op, "ethos-u55-128").ifm2_beats == 0);
  op.elementwise = ElementwiseMode::kAbs;
  op.ifm2_broadcast = {};
  CHECK(totals(op, "ethos-u55-128").ifm2_beats == 0);
  // U85 can have the scalar as its first operand.
  op.family = Family::kU85;
  op.elementwise = ElementwiseMode::kSub;
  op.ublock = {2, 2, 8};
  op.ifm_broadcast.scalar = true;
  CHECK(totals(op, "ethos-u85-256").ifm_beats == 0);
  CHECK(totals(op, "ethos-u85-256").ifm2_beats > 0);
}

// Alif E7 silicon, published FC sweep (timing 3.1): K inputs, N neurons, U55-256: 4*ceil(N/8)*ceil(K/32).
TEST_CASE("fully connected MAC_ACTIVE") {
  for (const auto& [k, n, cycles] :
       std::vector<std::array<int, 3>>{{16, 16, 8}, {33, 16, 16}, {528, 520, 4 * 65 * 17}}) {
    const auto op = convolution(nhwc(1, 1, k), nhwc(1, 1, n), square(1), {1, 2, 64});
    CHECK(totals(op, "ethos-u55-256").mac_active == std::uint64_t(cycles));
  }
}

TEST_CASE("MAC work by kind of operation") {
  auto op = convolution(nhwc(8, 8, 40), nhwc(8, 8, 16), square(3, 1, 1), {8, 8, 16});
  CHECK(totals(op, "ethos-u55-256").mac_active == 4 * 16 * 2 * 9 * 2);
  op.kernel.part_kernel_first = true;
  CHECK(totals(op, "ethos-u55-256").mac_active == 4 * 16 * 2 * 3 * 5);
  op.kernel.part_kernel_first = false;
  op.kind = OpKind::kDepthwise;
  CHECK(totals(op, "ethos-u55-256").mac_active == 4 * 16 * 2 * 3);
  op.ifm.bits = 16;
  CHECK(totals(op, "ethos-u55-256").mac_active == 8 * 16 * 2 * 3);
  op.kind = OpKind::kPool;
  CHECK(totals(op, "ethos-u55-256").mac_active == 9 * 16 * 2);
}

TEST_CASE("the operation may choose its micro-block") {
  auto op = convolution(nhwc(1, 8, 32), nhwc(1, 8, 8), square(1), {2, 8, 8});
  CHECK(totals(op, "ethos-u55-256").mac_active == 4 * 4);
  op.ublock = {1, 4, 8};
  CHECK(totals(op, "ethos-u55-256").mac_active == 4 * 2);
}

TEST_CASE("steps that are not pulled count as done") {
  const auto op = convolution(nhwc(4, 4, 32), nhwc(4, 4, 16), square(1), {4, 4, 8});
  auto walk = BlockWalk::create(op, accelerator("ethos-u55-128"));
  REQUIRE(walk);
  OfmBlock block;
  IfmBlock step;
  CHECK_FALSE(walk->next_step(step));
  REQUIRE(walk->next_block(block));
  REQUIRE(walk->next_block(block));
  REQUIRE(walk->next_step(step));
  CHECK_FALSE(step.fetched);
  CHECK(step.index == 1);
  CHECK_FALSE(walk->next_step(step));
  CHECK_FALSE(walk->next_block(block));
  CHECK_FALSE(walk->next_step(step));
}

TEST_CASE("operations out of range are refused") {
  const auto good = convolution(nhwc(4, 4, 32), nhwc(4, 4, 16), square(1), {4, 4, 8});
  const auto& npu = accelerator("ethos-u55-128");
  auto op = good;
  op.block.c = 0;
  CHECK(BlockWalk::create(op, npu).error().code == macaw::ErrorCode::kHardwareFault);
  op = good;
  op.kernel.stride_x = 0;
  CHECK_FALSE(BlockWalk::create(op, npu));
  op = good;
  op.ofm.h = op.ofm.w = op.ofm.c = 65536;
  op.block = {1, 1, 1};
  CHECK(BlockWalk::create(op, npu).error().code == macaw::ErrorCode::kUnsupported);
  op = good;
  op.kernel.height = op.kernel.width = 65536;
  CHECK(BlockWalk::create(op, npu));
}

TEST_CASE("DMA moves the source and the destination once, internal sides not on the bus") {
  DmaOperation dma;
  dma.src = 16, dma.dst = 32, dma.len = 100;
  dma.src_region = 0, dma.dst_region = 2;
  auto traffic = dma_traffic(dma);
  CHECK(traffic.reads.beats(8) == 13);
  CHECK(traffic.writes.beats(8) == 13);
  CHECK(traffic.writes[0].region == 2);
  dma.dst_internal = true;
  CHECK(dma_traffic(dma).writes.empty());
  dma.dst_internal = false;
  dma.family = Family::kU65;
  dma.dimensions = 2, dma.size0 = 3, dma.skip0 = 28;
  traffic = dma_traffic(dma);
  CHECK(traffic.reads[0].run == 300);
  CHECK(traffic.writes[0].levels[0] == Transfer::Level{3, 128});
}
