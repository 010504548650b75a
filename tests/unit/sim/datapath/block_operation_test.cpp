#include "tests/unit/sim/datapath/support.hpp"

#include "sim/datapath/dma.hpp"

#include <cstring>
#include <numeric>

using namespace macaw;
using namespace macaw::npu;
using namespace macaw::npu::test;

namespace {

/// One elementwise operation on maps of `n` channels.
std::vector<std::int64_t> run_binary(ElementwiseMode mode, const std::vector<std::int64_t>& a,
                                     const std::vector<std::int64_t>& b, int bits, int ofm_bits,
                                     const std::function<void(BlockOperation&)>& change = {}) {
  Bench bench("ethos-u55-128");
  const int n = static_cast<int>(a.size());
  BlockOperation op =
      operation(OpKind::kElementwise, feature_map(0, 1, 1, n, bits), feature_map(1024, 1, 1, n, ofm_bits));
  op.ifm2 = feature_map(512, 1, 1, n, bits);
  op.elementwise = mode;
  op.ifm_scale.scale = op.ifm2_scale.scale = 1;
  if (change) change(op);
  write(bench, op.ifm, a);
  if (!b.empty()) write(bench, op.ifm2, b);
  const auto done = bench.run(op);
  INFO((done ? "" : done.error().to_string()));
  REQUIRE(done);
  return read(bench, op.ofm);
}

using Values = std::vector<std::int64_t>;

}  // namespace

TEST_CASE("elementwise modes") {
  CHECK(run_binary(ElementwiseMode::kAdd, {100, -100, 3}, {100, -100, 4}, 8, 8) == Values{127, -128, 7});
  CHECK(run_binary(ElementwiseMode::kSub, {5, 6}, {7, -8}, 8, 16) == Values{-2, 14});
  CHECK(run_binary(ElementwiseMode::kMul, {100, -7}, {100, 3}, 8, 32) == Values{10000, -21});
  CHECK(run_binary(ElementwiseMode::kMin, {1, 2}, {2, 1}, 8, 8) == Values{1, 1});
  CHECK(run_binary(ElementwiseMode::kMax, {1, 2}, {2, 1}, 8, 8) == Values{2, 2});
  CHECK(run_binary(ElementwiseMode::kAbs, {-128, 5}, {}, 8, 16) == Values{128, 5});
  CHECK(run_binary(ElementwiseMode::kLrelu, {-100, 50}, {}, 8, 8, [](BlockOperation& op) {
          op.ofm_scale = {1u << 30, 31, Rounding::kDoubleSymmetric, 0};
        }) == Values{-50, 50});
  CHECK(run_binary(ElementwiseMode::kClz, {0, 1, -1, 256}, {}, 32, 32) == Values{32, 31, 0, 23});
  CHECK(run_binary(ElementwiseMode::kShl, {1, -1, 3}, {31, 4, 32}, 32, 32) == Values{INT32_MIN, -16, 0});
  CHECK(run_binary(ElementwiseMode::kShr, {7, -7, 8}, {1, 1, 3}, 32, 32,
                   [](BlockOperation& op) { op.ofm_scale.rounding = Rounding::kNatural; }) == Values{4, -3, 1});
}

TEST_CASE("a 32-bit OFM is shifted only and takes no zero point") {
  const auto change = [](BlockOperation& op) {
    op.ofm_scale = {1u << 30, 31, Rounding::kDoubleSymmetric, 0};
    op.ofm.zero_point = 99;
  };
  CHECK(run_binary(ElementwiseMode::kMul, {1 << 30}, {1 << 30}, 32, 32, change) == Values{1 << 29});
}

TEST_CASE("operand A is the first operand, also when they are swapped") {
  // The scaled operand counts once, the other, shifted left by 19, twice.
  const auto change = [](bool swapped, OperandScaling mode) {
    return [=](BlockOperation& op) {
      op.operands_swapped = swapped;
      op.operand_scaling = mode;
      op.ifm_scale = {1u << 30, 12, Rounding::kDoubleSymmetric, 0};  // times 2^18, half of the other operand's 2^19
      op.ifm2_scale.scale = 0;
      op.ofm_scale = {1u << 30, 48, Rounding::kDoubleSymmetric, 0};  // over 2^18
    };
  };
  CHECK(run_binary(ElementwiseMode::kSub, {10}, {20}, 8, 8, change(false, OperandScaling::kOpa32)) == Values{-30});
  CHECK(run_binary(ElementwiseMode::kSub, {10}, {20}, 8, 8, change(false, OperandScaling::kOpb32)) == Values{0});
  CHECK(run_binary(ElementwiseMode::kSub, {10}, {20}, 8, 8, change(true, OperandScaling::kOpb32)) == Values{30});
  CHECK(run_binary(ElementwiseMode::kSub, {10}, {20}, 8, 8, change(true, OperandScaling::kOpa32)) == Values{0});
}

TEST_CASE("broadcast and scalar operands") {
  Bench bench("ethos-u55-128");
  BlockOperation op = operation(OpKind::kElementwise, feature_map(0, 2, 2, 2, 8), feature_map(0, 2, 2, 2, 8));
  op.ifm2 = feature_map(512, 1, 1, 2, 8);
  op.ifm2_broadcast.h = op.ifm2_broadcast.w = true;
  op.ifm_scale.scale = op.ifm2_scale.scale = 1;
  write(bench, op.ifm, {1, 2, 3, 4, 5, 6, 7, 8});
  write(bench, op.ifm2, {10, 20});
  REQUIRE(bench.run(op));  // in place
  CHECK(read(bench, op.ofm) == Values{11, 22, 13, 24, 15, 26, 17, 28});
  op.ifm2_broadcast = {};
  op.ifm2_broadcast.scalar = true;
  op.scalar = 5;
  op.ifm2.zero_point = 6;
  REQUIRE(bench.run(op));
  CHECK(read(bench, op.ofm) == Values{10, 21, 12, 23, 14, 25, 16, 27});
}

TEST_CASE("pooling") {
  Bench bench("ethos-u55-128");
  BlockOperation op = operation(OpKind::kPool, feature_map(0, 2, 2, 1, 8), feature_map(64, 2, 2, 1, 8));
  op.kernel.height = op.kernel.width = 2;
  op.kernel.pad_bottom = op.kernel.pad_right = 1;
  write(bench, op.ifm, {10, 20, 30, 41});
  op.pool = PoolMode::kMax;
  REQUIRE(bench.run(op));
  CHECK(read(bench, op.ofm) == Values{41, 41, 41, 41});
  op.pool = PoolMode::kAverage;
  op.ofm_scale.rounding = Rounding::kNatural;
  REQUIRE(bench.run(op));  // divides by the taps inside the map
  CHECK(read(bench, op.ofm) == Values{25, 31, 36, 41});
  op = operation(OpKind::kPool, feature_map(0, 1, 2, 2, 8), feature_map(64, 1, 2, 1, 32));
  op.pool = PoolMode::kReduceSum;
  REQUIRE(bench.run(op));
  CHECK(read(bench, op.ofm) == Values{30, 71});
}

TEST_CASE("a maximum on U55 and U65 is never scaled") {
  for (const char* name : {"ethos-u55-128", "ethos-u65-512"})
    for (const bool per_channel : {false, true}) {
      Bench bench(name);
      BlockOperation op = operation(OpKind::kPool, feature_map(0, 2, 2, 1, 8), feature_map(64, 1, 1, 1, 8));
      op.family = bench.accelerator->family;
      op.kernel.height = op.kernel.width = 2;
      op.pool = PoolMode::kMax;
      op.scale_per_channel = per_channel;
      op.ofm_scale = {0x80000001u, 33, Rounding::kDoubleSymmetric, 0};  // over the window's four elements
      op.ofm.zero_point = 3;
      write(bench, op.ifm, {10, 20, 30, 41});
      REQUIRE(bench.run(op));
      CHECK(read(bench, op.ofm) == Values{44});
    }
}

TEST_CASE("tables of every width") {
  Bench bench("ethos-u55-128");
  BlockOperation op = operation(OpKind::kPool, feature_map(0, 1, 1, 4, 8), feature_map(64, 1, 1, 4, 8));
  op.pool = PoolMode::kAverage;
  op.activation.function = ActivationFunction::kTable;
  op.activation.table = 2;
  write(bench, op.ifm, {-128, -1, 0, 127});
  std::uint8_t* lut = bench.internal.data() + bench.accelerator->lut_offset() + 512;
  for (int i = 0; i < 256; ++i) lut[i] = static_cast<std::uint8_t>(255 - i);
  REQUIRE(bench.run(op));
  CHECK(read(bench, op.ofm) == Values{-1, -128, 127, 0});

  op.activation.table = 0;
  lut -= 512;
  for (int i = 0; i < 256; ++i) {
    const std::int32_t entry = i * 1000000;
    std::memcpy(lut + 4 * i, &entry, 4);
  }
  op.ofm = feature_map(64, 1, 1, 4, 32);
  op.activation.clip = ClipRange::kForceInt8;
  REQUIRE(bench.run(op));
  CHECK(read(bench, op.ofm) == Values{0, 127000000, 128000000, 255000000});

  for (int i = 0; i < 512; ++i) {
    const std::int16_t entry[2] = {static_cast<std::int16_t>((i - 256) * 128), 64};
    std::memcpy(lut + 4 * i, entry, 4);
  }
  op = operation(OpKind::kPool, feature_map(0, 1, 1, 4, 16), feature_map(64, 1, 1, 4, 16));
  op.pool = PoolMode::kAverage;
  op.activation.function = ActivationFunction::kTable;
  write(bench, op.ifm, {-32768, -1, 3, 300});
  REQUIRE(bench.run(op));
  CHECK(read(bench, op.ofm) == Values{-32768, -64, 2, 278});
}

TEST_CASE("a table past the end of the shared RAM is a fault") {
  Bench bench("ethos-u55-128");
  BlockOperation op = operation(OpKind::kPool, feature_map(0, 1, 1, 4, 16), feature_map(64, 1, 1, 4, 16));
  op.pool = PoolMode::kAverage;
  op.activation.function = ActivationFunction::kTable;
  op.activation.table = 1;
  CHECK_FALSE(bench.run(op));
}

TEST_CASE("what the machine must not touch is a fault") {
  Bench bench("ethos-u55-128");
  BlockOperation op = operation(OpKind::kPool, feature_map(0, 1, 1, 4, 8), feature_map(64, 1, 1, 4, 8));
  op.pool = PoolMode::kAverage;
  bench.add(std::vector<std::uint8_t>(256));
  op.ofm.region = 0;
  CHECK_FALSE(bench.run(op));
  op.ofm.region = 5;
  CHECK_FALSE(bench.run(op));
  op.ofm.region = 1;
  op.pool = PoolMode::kSum;
  CHECK_FALSE(bench.run(op));
  op.kind = OpKind::kResize;
  CHECK_FALSE(bench.run(op));
}

TEST_CASE("padding may leave nothing to read") {
  Bench bench("ethos-u55-128");
  BlockOperation op = operation(OpKind::kPool, feature_map(0, 0, 1, 4, 8), feature_map(64, 1, 1, 4, 8));
  op.pool = PoolMode::kAverage;
  op.kernel.pad_top = 9;
  op.ofm.zero_point = 7;
  REQUIRE(bench.run(op));
  CHECK(read(bench, op.ofm) == Values{7, 7, 7, 7});
}

TEST_CASE("DMA copies, strides on U65, and stays inside its regions") {
  Bench bench("ethos-u65-256");
  std::iota(bench.arena.begin(), bench.arena.begin() + 256, std::uint8_t{0});
  DmaOperation dma;
  dma.family = Family::kU65;
  dma.src_region = dma.dst_region = 1;
  dma.dst = 1024;
  dma.len = 16;
  dma.dimensions = 3;
  dma.size0 = dma.size1 = 2;
  dma.skip0 = 16;
  dma.skip1 = 64;
  REQUIRE(execute(dma, bench.map()));
  CHECK(bench.arena[1024 + 15] == 15);
  CHECK(bench.arena[1024 + 32] == 16);
  CHECK(bench.arena[1024 + 128] == 32);
  CHECK(bench.arena[1024 + 160] == 48);
  CHECK(bench.arena[1024 + 16] == 0);
  dma.dst = bench.arena.size() - 100;
  CHECK_FALSE(execute(dma, bench.map()));
  dma.dst_internal = true;
  dma.dst = 0;
  REQUIRE(execute(dma, bench.map()));
  CHECK(bench.internal[33] == 17);
  dma.len = std::uint64_t{1} << 63;
  CHECK_FALSE(execute(dma, bench.map()));
}
