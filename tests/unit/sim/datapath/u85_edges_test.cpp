#include "tests/unit/sim/datapath/u85_support.hpp"

#include "sim/datapath/dma.hpp"
#include "sim/datapath/requantize.hpp"

#include <cstring>

// As edges_test.cpp, of U85.
using namespace macaw;
using namespace macaw::npu;
using namespace macaw::npu::test;

namespace {

Values run_u85_edge(Bench& bench, ElementwiseMode mode, const Values& a, const Values& b, int bits, int ofm_bits,
                    const Change& change) {
  const int n = static_cast<int>(a.size());
  auto op = operation_u85(OpKind::kElementwise, feature_map(0, 1, 1, n, bits), feature_map(1024, 1, 1, n, ofm_bits));
  op.ifm2 = feature_map(512, 1, 1, n, bits);
  op.elementwise = mode;
  op.activation.clip = ClipRange::kNone;
  change(op);
  write(bench, op.ifm, a);
  if (!b.empty()) write(bench, op.ifm2, b);
  return finish(bench, op);
}
Values run_u85_edge(ElementwiseMode mode, const Values& a, const Values& b, int bits, int ofm_bits,
                    const Change& change) {
  Bench bench("ethos-u85-256");
  return run_u85_edge(bench, mode, a, b, bits, ofm_bits, change);
}

}  // namespace

TEST_CASE("U85 SHR rounds as OFM_SCALE says") {
  const auto rounded = [](Rounding rounding) { return [=](BlockOperation& op) { op.ofm_scale.rounding = rounding; }; };
  CHECK(run_u85_edge(ElementwiseMode::kShr, {7, -7}, {1, 1}, 32, 32, rounded(Rounding::kTruncateToLower)) ==
        Values{3, -4});
  CHECK(run_u85_edge(ElementwiseMode::kShr, {7, -7}, {1, 1}, 32, 32, rounded(Rounding::kSymmetric)) == Values{4, -4});
}

TEST_CASE("U85 without a clip keeps the low bits of results and of indices") {
  CHECK(run_u85_edge(ElementwiseMode::kAdd, {100, -100}, {100, -100}, 8, 8, [](BlockOperation&) {}) == Values{-56, 56});
  Bench bench("ethos-u85-256");
  for (int i = 0; i < 256; ++i) bench.internal[static_cast<std::size_t>(i)] = static_cast<std::uint8_t>(i ^ 0x55);
  // 130 + 128 selects entry 2.
  CHECK(run_u85_edge(bench, ElementwiseMode::kAdd, {100}, {30}, 8, 8, [](BlockOperation& op) {
          op.activation.function = ActivationFunction::kTable;
          op.activation.form = TableForm::kS8S8;
        }) == Values{0x57});
}

TEST_CASE("U85 tables of 16 to 32 bits have 7 fraction bits under their bases, and are counted in their own size") {
  Bench bench("ethos-u85-256");
  const std::int16_t segment[] = {3, 2};
  std::memcpy(bench.internal.data() + 4 * 256, segment, sizeof(segment));
  const auto table = [](TableForm form, int index) {
    return [=](BlockOperation& op) {
      op.activation.function = ActivationFunction::kTable;
      op.activation.form = form;
      op.activation.table = index;
    };
  };
  CHECK(run_u85_edge(bench, ElementwiseMode::kAdd, {5}, {0}, 16, 32, table(TableForm::kS16S32, 0)) == Values{394});
  const std::int16_t word = -1234;
  std::memcpy(bench.internal.data() + 512 + 2 * (128 + 7), &word, sizeof(word));
  CHECK(run_u85_edge(bench, ElementwiseMode::kAdd, {7}, {0}, 8, 16, table(TableForm::kS8S16, 1)) == Values{-1234});
}

TEST_CASE("U85 products of unsigned 32-bit operands take all of their 64 bits") {
  CHECK(run_u85_edge(ElementwiseMode::kMul, {4294967295}, {4294967295}, 32, 32, [](BlockOperation& op) {
          op.ifm.is_signed = op.ifm2.is_signed = false;
          op.ofm_scale = {1, 34, Rounding::kTruncateToLower, 0};
        }) == Values{1073741823});
}

TEST_CASE("a U85 scalar has the zero point of the operand that it stands for") {
  CHECK(run_u85_edge(ElementwiseMode::kAdd, {5}, {}, 8, 8, [](BlockOperation& op) {
          op.ifm2_broadcast.scalar = true;
          op.scalar = 10;
          op.ifm.zero_point = 1;
          op.ifm2.zero_point = 3;
        }) == Values{11});
}

TEST_CASE("the U85 result flag is that of the last element") {
  Bench bench("ethos-u85-256");
  CHECK(run_u85_edge(bench, ElementwiseMode::kCmpGt, {0, 5}, {1, 1}, 8, 8, [](BlockOperation&) {}) == Values{0, -1});
  CHECK(bench.core.result_flag);
  CHECK(run_u85_edge(bench, ElementwiseMode::kCmpGt, {5, 0}, {1, 1}, 8, 8, [](BlockOperation&) {}) == Values{-1, 0});
  CHECK_FALSE(bench.core.result_flag);
}

TEST_CASE("a U85 minimum starts above every value, zero point or not") {
  Bench bench("ethos-u85-256");
  auto op = operation_u85(OpKind::kPool, feature_map(0, 2, 2, 1, 8), feature_map(64, 1, 1, 1, 8));
  op.pool = PoolMode::kMin;
  op.kernel.height = op.kernel.width = 2;
  op.ifm.zero_point = op.ofm.zero_point = -100;
  write(bench, op.ifm, {127, 126, 120, 125});
  REQUIRE(bench.run(op));
  CHECK(read(bench, op.ofm) == Values{120});
}

TEST_CASE("U85 divides an average with 30 bits") {
  constexpr std::int64_t kValue = INT32_MAX - 1000;
  const auto mean = [](int bits) {
    const Divisor divisor = pooling_divisor(49, bits);
    return requantize(49 * kValue, divisor.scale, divisor.shift, Rounding::kNatural);
  };
  REQUIRE(mean(30) != mean(31));
  Bench bench("ethos-u85-256");
  auto op = operation_u85(OpKind::kPool, feature_map(0, 7, 7, 1, 32), feature_map(1024, 1, 1, 1, 32));
  op.pool = PoolMode::kAverage;
  op.kernel.height = op.kernel.width = 7;
  op.acc_format = AccFormat::kI48;
  op.activation.clip = ClipRange::kNone;
  write(bench, op.ifm, Values(49, kValue));
  REQUIRE(bench.run(op));
  CHECK(read(bench, op.ofm) == Values{mean(30)});
}

TEST_CASE("U85 accumulators that were kept are continued once") {
  Bench bench("ethos-u85-256");
  auto op = operation_u85(OpKind::kPool, feature_map(0, 1, 1, 2, 8), feature_map(64, 1, 1, 2, 32));
  op.activation.clip = ClipRange::kNone;
  op.pool = PoolMode::kSum;
  write(bench, op.ifm, {3, 4});
  op.acc_output = false;
  REQUIRE(bench.run(op));
  op.acc_input = AccInput::kKeep;
  op.acc_output = true;
  REQUIRE(bench.run(op));
  CHECK(read(bench, op.ofm) == Values{6, 8});
  CHECK_FALSE(bench.run(op));
}

TEST_CASE("U85 pools MAX and MIN continue accumulators by their own reduction") {
  for (const bool max : {true, false}) {
    for (const AccInput source : {AccInput::kKeep, AccInput::kIfm2}) {
      Bench bench("ethos-u85-256");
      auto op = operation_u85(OpKind::kPool, feature_map(0, 1, 1, 4, 8), feature_map(64, 1, 1, 4, 8));
      op.pool = max ? PoolMode::kMax : PoolMode::kMin;
      if (source == AccInput::kKeep) {
        write(bench, op.ifm, {-100, 100, 5, 0});
        op.acc_output = false;
        REQUIRE(bench.run(op));
        op.acc_input = AccInput::kKeep;
        write(bench, op.ifm, {-110, 90, 5, 0});
        REQUIRE(bench.run(op));
        op.acc_output = true;
      } else {
        op.acc_input = AccInput::kIfm2;
        op.ifm2 = feature_map(128, 1, 1, 4, 32);
        write(bench, op.ifm2, max ? Values{-100, 100, 5, 0} : Values{-110, 90, 5, 0});
      }
      write(bench, op.ifm, {-105, 95, 6, -1});
      INFO((max ? "MAX" : "MIN") << ", source " << static_cast<int>(source));
      CHECK(finish(bench, op) == (max ? Values{-100, 100, 6, 0} : Values{-110, 90, 5, -1}));
    }
  }
}

TEST_CASE("a U85 matrix product is split over depth behind a NONE pool that loads the bias") {
  Bench bench("ethos-u85-256");
  auto bias = operation_u85(OpKind::kPool, feature_map(0, 2, 1, 2, 8), feature_map(256, 2, 1, 2, 32));
  bias.pool = PoolMode::kNone;
  bias.ifm2 = feature_map(128, 2, 1, 2, 32);
  bias.acc_input = AccInput::kIfm2;
  bias.acc_output = false;
  write(bench, bias.ifm2, {100, 200, 300, 400});
  REQUIRE(bench.run(bias));
  auto product = operation_u85(OpKind::kConv, feature_map(0, 2, 1, 2, 8), feature_map(256, 2, 1, 2, 32));
  product.weights_from_ifm2 = true;
  product.ifm2 = feature_map(64, 1, 2, 2, 8);
  product.activation.clip = ClipRange::kNone;
  product.acc_input = AccInput::kKeep;
  product.acc_output = false;
  write(bench, product.ifm, {1, 2, 3, 4});
  write(bench, product.ifm2, {1, 1, 0, 1});
  REQUIRE(bench.run(product));
  product.acc_output = true;
  write(bench, product.ifm, {5, 0, 0, -5});
  write(bench, product.ifm2, {1, 2, 3, -4});
  CHECK(finish(bench, product) == Values{100 + 3 + 5, 200 + 2 + 15, 300 + 7 - 10, 400 + 4 + 20});
}

TEST_CASE("U85 pools whose result needs the whole window do not share accumulators") {
  for (const PoolMode mode : {PoolMode::kAverage, PoolMode::kArgMaxX, PoolMode::kArgMaxY}) {
    Bench bench("ethos-u85-256");
    auto op = operation_u85(OpKind::kPool, feature_map(0, 1, 1, 2, 8), feature_map(64, 1, 1, 2, 32));
    op.pool = mode;
    REQUIRE(bench.run(op));
    op.acc_output = false;
    const auto kept = bench.run(op);
    REQUIRE_FALSE(kept);
    CHECK(kept.error().code == ErrorCode::kUnsupported);
    op.acc_output = true;
    op.acc_input = AccInput::kIfm2;
    op.ifm2 = feature_map(128, 1, 1, 2, 32);
    CHECK_FALSE(bench.run(op));
  }
}

TEST_CASE("U85 DMA indices reach IDX_MAX, and those of planes skip") {
  Bench bench("ethos-u85-256");
  for (int i = 0; i < 16; ++i) bench.arena[static_cast<std::size_t>(i)] = static_cast<std::uint8_t>(10 + i);
  const std::int32_t indices[] = {2, -1, 1};
  std::memcpy(bench.arena.data() + 256, indices, sizeof(indices));
  DmaOperation dma;
  dma.family = Family::kU85;
  dma.src_region = dma.dst_region = dma.idx_region = 1;
  dma.dimensions = 3;
  dma.size0 = 1;
  dma.size1 = 2;
  dma.len = 1;
  dma.src_stride0 = 4;
  dma.dst_stride1 = 1;
  dma.dst = 512;
  dma.idx = 256;
  dma.idx_max = 2;
  dma.idx_skip1 = 4;
  dma.src_indexed = true;
  REQUIRE(execute(dma, bench.map()));
  CHECK(bench.arena[512] == 18);
  CHECK(bench.arena[513] == 14);
  dma.idx_max = 1;
  CHECK_FALSE(execute(dma, bench.map()));
}
