#include "sim/blocks/box_transfers.hpp"
#include "sim/blocks/mac_work.hpp"
#include "sim/blocks/rules.hpp"
#include "sim/blocks/walk.hpp"
#include "sim/blocks/window.hpp"
#include "tests/support/accelerator.hpp"

#include <catch2/catch.hpp>

#include <tuple>
#include <utility>
#include <vector>

// Counts and boxes at which a slip changes few operations only.
using namespace macaw::npu;
using macaw::test::accelerator;

namespace {

FeatureMap row_major(int h, int w, int c, int bits = 8) {
  FeatureMap fm;
  fm.bits = bits;
  fm.h = h, fm.w = w, fm.c = c;
  fm.height0 = fm.height1 = h;
  fm.width0 = w;
  fm.stride_x = c * fm.bytes();
  fm.stride_y = w * fm.stride_x;
  fm.stride_c = fm.bytes();
  return fm;
}

BlockOperation convolution_u85(FeatureMap ifm, FeatureMap ofm, Hwc block) {
  BlockOperation op;
  op.family = Family::kU85;
  op.ifm = ifm, op.ofm = ofm, op.block = block;
  op.ublock = {2, 2, 8};
  op.weights[0] = {0, 0, 4096};
  return op;
}

std::vector<IfmBlock> steps_of(const BlockOperation& op, const char* name) {
  auto walk = BlockWalk::create(op, accelerator(name));
  REQUIRE(walk);
  std::vector<IfmBlock> steps;
  IfmBlock step;
  for (OfmBlock block; walk->next_block(block);)
    while (walk->next_step(step)) steps.push_back(step);
  return steps;
}

}  // namespace

TEST_CASE("copies skip between rows and between planes") {
  DmaOperation dma;
  dma.family = Family::kU65;
  dma.dimensions = 3;
  dma.size0 = dma.size1 = 2;
  dma.len = 1;
  dma.skip0 = 1;
  dma.skip1 = 3;
  dma.dst = 100;
  const auto writes = dma_traffic(dma).writes;
  REQUIRE(writes.size() == 1);
  std::vector<std::uint64_t> addresses;
  for (std::uint64_t i = 0; i < writes[0].runs(); ++i) addresses.push_back(writes[0].run_address(i));
  CHECK(addresses == std::vector<std::uint64_t>{100, 102, 107, 109});
  dma.family = Family::kU85;
  dma.src_indexed = true;
  dma.idx = 1000;
  dma.idx_skip1 = 5;
  const auto indices = dma_traffic(dma).indices;
  REQUIRE(indices.size() == 1);
  CHECK(indices[0].run_address(1) == 1000 + 2 * 4 + 5);
}

TEST_CASE("taps of part kernels go in fours, of 16 bits in twos") {
  BlockOperation op;
  op.kernel.part_kernel_first = true;
  op.ifm.bits = 8;
  CHECK(ublock_work_u65(op, {0, 3, 0, 3}, 8).weight_blocks == 3);
  op.ifm.bits = 16;
  CHECK(ublock_work_u65(op, {0, 3, 0, 3}, 8).weight_blocks == 5);
  CHECK(active_cores(op, accelerator("ethos-u65-512")) == 1);
  op.dual_core = true;
  CHECK(active_cores(op, accelerator("ethos-u65-512")) == 2);
}

TEST_CASE("U85: sparse weights take half the cycles, groups of taps a least number") {
  auto op = convolution_u85(row_major(1, 1, 16), row_major(1, 1, 8), {1, 1, 8});
  const auto cycles = [&](int height, int width, int channels) {
    op.kernel.height = height, op.kernel.width = width;
    return ublock_work_u85(op, {0, height, 0, width}, channels).cycles;
  };
  CHECK(cycles(3, 3, 16) == 18);
  op.sparse_weights = true;
  CHECK(cycles(3, 3, 16) == 9);
  op.sparse_weights = false;
  op.kernel.part_kernel_first = true;
  CHECK(cycles(5, 5, 16) == 50);   // whole groups
  CHECK(cycles(40, 1, 16) == 84);  // above 32 taps 2 more, twice
  CHECK(cycles(11, 1, 16) == 24);  // 10 taps and 2 for the one that is left, twice
  op.ifm.c = 8;
  CHECK(cycles(11, 1, 8) == 12);
}

TEST_CASE("U85: depth blocks turn with every OFM block") {
  const auto op = convolution_u85(row_major(1, 8, 192), row_major(1, 8, 8), {1, 4, 8});
  std::vector<int> channels;
  for (const auto& step : steps_of(op, "ethos-u85-512")) channels.push_back(step.box.c0);
  CHECK(channels == std::vector<int>{0, 64, 128, 128, 64, 0});
}

TEST_CASE("U85: as many IFM blocks are kept as their channels fit, and none of fewer") {
  const int width = accelerator("ethos-u85-512").ram.ifm / 64;
  CHECK(steps_of(convolution_u85(row_major(1, width, 8), row_major(1, width, 8), {1, width, 8}), "ethos-u85-512")[0]
            .kept == 4);
  CHECK(steps_of(convolution_u85(row_major(1, width, 64), row_major(1, width, 8), {1, width, 8}), "ethos-u85-512")[0]
            .kept == 1);
}

TEST_CASE("U85: an accumulator source is read once per OFM block, a fast weight stream as one") {
  auto op = convolution_u85(row_major(1, 4, 192), row_major(1, 4, 8), {1, 4, 8});
  op.acc_input = AccInput::kIfm2;
  op.ifm2 = row_major(1, 4, 8, 32);
  int reads = 0;
  for (const auto& step : steps_of(op, "ethos-u85-512")) reads += !step.reads2.empty();
  CHECK(reads == 1);
  op.fast_weights = true;
  CHECK(walk_rules(op, accelerator("ethos-u85-1024")).weight_streams == 1);
}

TEST_CASE(
    "windows grow with the dilation, RESIZE reads a row below up to the last one, a reversed OFM is written from its "
    "end") {
  BlockOperation op;
  op.ifm = row_major(16, 16, 8);
  op.kernel.height = 5, op.kernel.dilation_y = 2;
  const Box window = ifm_window(op, {0, 1, 0, 1, 0, 8}, {0, 3, 0, 1}, 0, 8);
  CHECK(window.y1 == 5);
  op.kind = OpKind::kResize;
  op.resize_step = {};
  op.resize_step.n_x = op.resize_step.n_y = 1;
  op.resize_step.one_step_int_x = op.resize_step.one_step_int_y = 1;
  const Box resized = resize_window(op, {2, 4, 0, 2, 0, 8});
  CHECK((resized.y0 == 2 && resized.y1 == 5 && resized.x0 == 0 && resized.x1 == 3));
  const Box last = resize_window(op, {15, 16, 15, 16, 0, 8});
  CHECK((last.y0 == 14 && last.y1 == 16 && last.x0 == 15 && last.x1 == 16));
  op.ofm = row_major(10, 10, 8);
  op.reverse = 1;
  const Box stored = stored_box(op, {0, 4, 2, 3, 0, 8});
  CHECK((stored.y0 == 6 && stored.y1 == 10 && stored.x0 == 2));
}

TEST_CASE("pixels of 16-bit elements that touch are one run") {
  TransferList list;
  append_box(list, Channel::kReadIfm, row_major(2, 4, 8, 16), {0, 2, 0, 4, 0, 8}, {});
  REQUIRE(list.size() == 1);
  CHECK(list[0].run == 64);
  CHECK(list[0].runs() == 2);
}

TEST_CASE("extents, kernels and strides are taken up to what their registers hold") {
  struct Row {
    const char* what;
    void (*set)(BlockOperation&, int);
    int least, most;
  };
  static const Row kRows[] = {
      {"OFM height", [](BlockOperation& op, int v) { op.ofm.h = v; }, 1, 65536},
      {"OFM width", [](BlockOperation& op, int v) { op.ofm.w = v; }, 1, 65536},
      {"OFM depth", [](BlockOperation& op, int v) { op.ofm.c = v; }, 1, 65536},
      {"IFM height", [](BlockOperation& op, int v) { op.ifm.h = v; }, 0, 65536},
      {"IFM width", [](BlockOperation& op, int v) { op.ifm.w = v; }, 0, 65536},
      {"IFM depth", [](BlockOperation& op, int v) { op.ifm.c = v; }, 1, 65536},
      {"block height", [](BlockOperation& op, int v) { op.block.h = v; }, 1, 65536},
      {"block depth", [](BlockOperation& op, int v) { op.block.c = v; }, 1, 65536},
      {"kernel height", [](BlockOperation& op, int v) { op.kernel.height = v; }, 1, 65536},
      {"dilation", [](BlockOperation& op, int v) { op.kernel.dilation_x = v; }, 1, 65536},
      {"stride down", [](BlockOperation& op, int v) { op.kernel.stride_y = v; }, 1, 4096},
      {"stride across", [](BlockOperation& op, int v) { op.kernel.stride_x = v; }, 1, 4096},
  };
  for (const Row& row : kRows)
    for (const auto& [value, holds] :
         {std::pair(row.least - 1, false), {row.least, true}, {row.most, true}, {row.most + 1, false}}) {
      auto op = convolution_u85(row_major(4, 4, 16), row_major(4, 4, 8), {4, 4, 8});
      row.set(op, value);
      CAPTURE(row.what, value);
      CHECK(BlockWalk::create(op, accelerator("ethos-u85-256")).has_value() == holds);
    }
}

TEST_CASE("steps of a resize are taken up to what their registers hold") {
  for (const auto& [numerator, step, holds] : {std::tuple(1, 0, true),
                                               {0, 0, false},
                                               {65536, 65536, true},
                                               {65537, 0, false},
                                               {1, 65537, false},
                                               {1, -1, false}}) {
    auto op = convolution_u85(row_major(4, 4, 16), row_major(4, 4, 16), {1, 4, 16});
    op.kind = OpKind::kResize;
    op.resize_step.n_x = numerator;
    op.resize_step.one_step_mod_y = step;
    CAPTURE(numerator, step);
    CHECK(BlockWalk::create(op, accelerator("ethos-u85-256")).has_value() == holds);
  }
}

TEST_CASE("the runs of a transfer follow its levels from the innermost one, each of which may be of one") {
  Transfer t = contiguous(Channel::kReadIfm, 0, 1000, 4);
  t.levels = {Transfer::Level{2, 10}, Transfer::Level{1, 7}, Transfer::Level{3, -100}};
  std::vector<std::uint64_t> addresses;
  for (std::uint64_t i = 0; i < t.runs(); ++i) addresses.push_back(t.run_address(i));
  CHECK(addresses == std::vector<std::uint64_t>{1000, 1010, 900, 910, 800, 810});
  t.levels[0] = {1, 10};
  CHECK(t.run_address(2) == 800);
}

TEST_CASE("U85: sums that stay in the accumulators are not written") {
  auto op = convolution_u85(row_major(4, 4, 16), row_major(4, 4, 8), {4, 4, 8});
  for (const bool output : {true, false}) {
    op.acc_output = output;
    const auto totals = walk_totals(op, accelerator("ethos-u85-256"));
    REQUIRE(totals);
    CHECK(totals->ofm_beats == (output ? 8U : 0U));
    CHECK(totals->ifm_beats == 16);
  }
}
