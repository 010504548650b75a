#include "tests/unit/sim/datapath/u85_support.hpp"

#include "sim/datapath/dma.hpp"

#include <cstring>
#include <numeric>

using namespace macaw;
using namespace macaw::npu;
using namespace macaw::npu::test;

namespace {

Values run_u85_binary(ElementwiseMode mode, const Values& a, const Values& b, int bits, int ofm_bits,
                      const Change& change = {}) {
  Bench bench("ethos-u85-256");
  const int n = static_cast<int>(a.size());
  BlockOperation op =
      operation_u85(OpKind::kElementwise, feature_map(0, 1, 1, n, bits), feature_map(1024, 1, 1, n, ofm_bits));
  op.ifm2 = feature_map(512, 1, 1, n, bits);
  op.elementwise = mode;
  if (ofm_bits == 32) op.activation.clip = ClipRange::kNone;
  if (change) change(op);
  if (op.ifm.storage != npu::Storage::kNone) write(bench, op.ifm, a);
  if (!b.empty()) write(bench, op.ifm2, b);
  return finish(bench, op);
}

/// One value per channel through a table of the LUT RAM.
Values look_up(TableForm form, const Values& inputs, int bits, int ofm_bits, const std::vector<std::uint8_t>& table,
               int index = 0) {
  Bench bench("ethos-u85-256");
  const int n = static_cast<int>(inputs.size());
  BlockOperation op =
      operation_u85(OpKind::kElementwise, feature_map(0, 1, 1, n, bits), feature_map(1024, 1, 1, n, ofm_bits));
  op.elementwise = ElementwiseMode::kMax;
  op.ifm2_broadcast.scalar = true;
  op.ifm2.bits = bits;
  op.scalar = -40000;
  op.activation.function = form == TableForm::kTanh      ? ActivationFunction::kTanh
                           : form == TableForm::kSigmoid ? ActivationFunction::kSigmoid
                                                         : ActivationFunction::kTable;
  op.activation.form = form;
  op.activation.table = index;
  const int bound = bits == 8 ? 128 : 32768;
  op.activation.min = static_cast<std::uint16_t>(form == TableForm::kU8U8 ? 0 : -bound);
  op.activation.max = static_cast<std::uint16_t>(form == TableForm::kU8U8 ? 255 : bound - 1);
  if (form == TableForm::kU8U8) op.ifm.is_signed = op.ofm.is_signed = false;
  std::copy(table.begin(), table.end(), bench.internal.begin() + index * static_cast<std::ptrdiff_t>(table.size()));
  write(bench, op.ifm, inputs);
  return finish(bench, op);
}

template <class T>
std::vector<std::uint8_t> bytes_of(const std::vector<T>& values) {
  std::vector<std::uint8_t> bytes(values.size() * sizeof(T));
  std::memcpy(bytes.data(), values.data(), bytes.size());
  return bytes;
}

}  // namespace

TEST_CASE("U85 elementwise modes") {
  using Mode = ElementwiseMode;
  CHECK(run_u85_binary(Mode::kAdd, {100, -100, 3}, {100, -100, 4}, 8, 8) == Values{127, -128, 7});
  CHECK(run_u85_binary(Mode::kSub, {5, 6}, {7, -8}, 8, 16) == Values{-2, 14});
  CHECK(run_u85_binary(Mode::kMul, {100, -7}, {100, 3}, 8, 32) == Values{10000, -21});
  CHECK(run_u85_binary(Mode::kAdd, {INT32_MAX}, {1}, 32, 32) == Values{INT32_MIN});  // without a clip the low bits stay
  CHECK(run_u85_binary(Mode::kMin, {1, 2}, {2, 1}, 8, 8) == Values{1, 1});
  CHECK(run_u85_binary(Mode::kMax, {1, 2}, {2, 1}, 8, 8) == Values{2, 2});
  CHECK(run_u85_binary(Mode::kAbs, {-128, 5}, {}, 8, 16) == Values{128, 5});
  CHECK(run_u85_binary(Mode::kClz, {0, 1, -1, 256}, {}, 32, 32) == Values{32, 31, 0, 23});
  CHECK(run_u85_binary(Mode::kShl, {1, -1, 3}, {31, 4, 32}, 32, 32) == Values{INT32_MIN, -16, 0});
  CHECK(run_u85_binary(Mode::kShr, {7, -7, 8}, {1, 1, 3}, 32, 32) == Values{4, -3, 1});
  CHECK(run_u85_binary(Mode::kLsr, {-1, -128, 7}, {1, 7, 8}, 8, 8) == Values{127, 1, 0});
  CHECK(run_u85_binary(Mode::kDiv, {7, -7, 7, 5}, {2, 2, -2, 0}, 32, 32) == Values{3, -3, -3, 0});
  CHECK(run_u85_binary(Mode::kDiv, {INT32_MIN}, {-1}, 32, 32) == Values{INT32_MIN});
  CHECK(run_u85_binary(Mode::kCmpEq, {1, 2}, {1, 1}, 8, 8) == Values{-1, 0});
  CHECK(run_u85_binary(Mode::kCmpNe, {1, 2}, {1, 1}, 8, 8) == Values{0, -1});
  CHECK(run_u85_binary(Mode::kCmpGe, {1, 0, 2}, {1, 1, 1}, 8, 8) == Values{-1, 0, -1});
  CHECK(run_u85_binary(Mode::kCmpGt, {1, 0, 2}, {1, 1, 1}, 8, 8) == Values{0, 0, -1});
  CHECK(run_u85_binary(Mode::kAnd, {12}, {10}, 8, 8) == Values{8});
  CHECK(run_u85_binary(Mode::kOr, {12}, {10}, 8, 8) == Values{14});
  CHECK(run_u85_binary(Mode::kXor, {12}, {10}, 8, 8) == Values{6});
  CHECK(run_u85_binary(Mode::kAndNot, {12}, {10}, 8, 8) == Values{4});
  CHECK(run_u85_binary(Mode::kNot, {12}, {}, 8, 8) == Values{-13});
}

TEST_CASE("U85 operand scales") {
  const auto scales = [](BlockOperation& op) {
    op.ifm_scale = {1u << 30, 11, Rounding::kDoubleSymmetric, 20};   // times 2^19
    op.ifm2_scale = {1u << 30, 12, Rounding::kDoubleSymmetric, 20};  // times 2^18
    op.ofm_scale = {1, 19, Rounding::kNatural, 0};
  };
  CHECK(run_u85_binary(ElementwiseMode::kAdd, {10, 1}, {20, 1}, 8, 8, scales) == Values{20, 2});
  // Comparisons of quantised values are of what they stand for: 10 with 5.5, 1 with 1.5, -1 with -1.
  const auto halved = [](BlockOperation& op) { op.ifm2_scale = {1, 1, Rounding::kNatural, 0}; };
  CHECK(run_u85_binary(ElementwiseMode::kCmpGt, {10, 1, -1}, {11, 3, -2}, 8, 8, halved) == Values{-1, 0, 0});
  CHECK(run_u85_binary(ElementwiseMode::kCmpGe, {10, 1, -1}, {11, 3, -2}, 16, 8, halved) == Values{-1, 0, -1});
  CHECK(run_u85_binary(ElementwiseMode::kCmpEq, {10, 1, -1}, {11, 3, -2}, 8, 8, halved) == Values{0, 0, -1});
  CHECK(run_u85_binary(ElementwiseMode::kMul, {10, 1}, {11, 3}, 8, 16, halved) == Values{110, 3});
  // LRELU: IFM_SCALE for what is not negative, IFM2_SCALE for the rest.
  const auto slope = [](BlockOperation& op) {
    op.ifm_scale = {1, 1, Rounding::kNatural, 0};
    op.ifm2_scale = {1, 2, Rounding::kNatural, 0};
  };
  CHECK(run_u85_binary(ElementwiseMode::kLrelu, {100, -100}, {}, 8, 8, slope) == Values{50, -25});
}

TEST_CASE("U85 scales results of 32-bit operands, but products by a shift only") {
  using Mode = ElementwiseMode;
  const auto scaled = [](BlockOperation& op) {
    op.ifm_scale.scale = op.ifm2_scale.scale = 1000;  // not applied to 32-bit operands
    op.ofm_scale = {77, 2, Rounding::kNatural, 0};
    op.ofm.zero_point = 5;
  };
  CHECK(run_u85_binary(Mode::kAdd, {10, -1}, {20, 0}, 32, 32, scaled) == Values{583, -14});  // 577.5 and -19.25
  CHECK(run_u85_binary(Mode::kSub, {10}, {20}, 32, 32, scaled) == Values{-187});             // -192.5
  CHECK(run_u85_binary(Mode::kMax, {10}, {20}, 32, 32, scaled) == Values{390});
  CHECK(run_u85_binary(Mode::kAbs, {-10}, {}, 32, 32, scaled) == Values{198});
  CHECK(run_u85_binary(Mode::kClz, {1}, {}, 32, 32, scaled) == Values{602});
  CHECK(run_u85_binary(Mode::kMul, {10}, {20}, 32, 32, scaled) == Values{55});  // 200 / 4
  CHECK(run_u85_binary(Mode::kMul, {10}, {20}, 16, 32, scaled) == Values{3855});
}

TEST_CASE("either U85 operand may be scalar or broadcast") {
  const auto first = [](BlockOperation& op) {
    op.ifm_broadcast.scalar = true;
    op.ifm.storage = npu::Storage::kNone;
    op.scalar = 50;
  };
  CHECK(run_u85_binary(ElementwiseMode::kSub, {0, 0}, {1, 2}, 8, 8, first) == Values{49, 48});
  Bench bench("ethos-u85-256");
  BlockOperation op = operation_u85(OpKind::kElementwise, feature_map(0, 1, 2, 1, 8), feature_map(256, 2, 2, 2, 8));
  op.ifm2 = feature_map(128, 2, 1, 2, 8);
  op.elementwise = ElementwiseMode::kAdd;
  write(bench, op.ifm, {1, 2});
  write(bench, op.ifm2, {10, 20, 30, 40});
  CHECK(finish(bench, op) == Values{11, 21, 12, 22, 31, 41, 32, 42});
}

TEST_CASE("U85 tables") {
  std::vector<std::uint8_t> bytes(256);
  std::iota(bytes.begin(), bytes.end(), std::uint8_t{1});
  CHECK(look_up(TableForm::kS8S8, {-128, 0, 127}, 8, 8, bytes, 3) == Values{1, -127, 0});
  CHECK(look_up(TableForm::kU8U8, {0, 200}, 8, 8, bytes) == Values{1, 201});
  std::vector<std::int16_t> halves(256);
  std::iota(halves.begin(), halves.end(), std::int16_t{-1000});
  CHECK(look_up(TableForm::kS8S16, {-128, 127}, 8, 16, bytes_of(halves), 1) == Values{-1000, -745});
  std::vector<std::int32_t> words(256);
  std::iota(words.begin(), words.end(), 100000);
  CHECK(look_up(TableForm::kS8S32, {-128, 127}, 8, 32, bytes_of(words)) == Values{100000, 100255});
  std::vector<std::int16_t> segments;
  for (int i = 0; i < 512; ++i) {
    segments.push_back(static_cast<std::int16_t>((i - 256) * 128));
    segments.push_back(128);
  }
  const auto line = bytes_of(segments);  // y = x at steps of 128
  CHECK(look_up(TableForm::kS16S16, {-32768, -1, 5, 32767}, 16, 16, line) == Values{-32768, -1, 5, 32767});
  CHECK(look_up(TableForm::kS16S32, {-32768, 3, 130}, 16, 32, line) == Values{-32768 * 128, 3 * 128, 130 * 128});
  // TANH: 256 inputs per segment, base << 8 + slope * fraction, rounded at bit 8.
  CHECK(look_up(TableForm::kTanh, {0, 256, 64, -1}, 16, 16, line) == Values{0, 128, 32, -1});
  CHECK(look_up(TableForm::kSigmoid, {0, 512}, 16, 16, line) == Values{16384, 16384 + 64});
}

TEST_CASE("a table beyond the LUT RAM is a fault") {
  Bench bench("ethos-u85-256");
  BlockOperation op = operation_u85(OpKind::kPool, feature_map(0, 1, 1, 4, 8), feature_map(64, 1, 1, 4, 8));
  op.activation.function = ActivationFunction::kTable;
  op.activation.form = TableForm::kS16S16;
  op.activation.table = 1;
  const auto done = bench.run(op);
  REQUIRE_FALSE(done);
  CHECK(done.error().code == ErrorCode::kHardwareFault);
}

TEST_CASE("U85 pooling modes") {
  Bench bench("ethos-u85-256");
  BlockOperation op = operation_u85(OpKind::kPool, feature_map(0, 2, 2, 1, 8), feature_map(64, 2, 2, 1, 16));
  op.kernel.height = op.kernel.width = 2;
  op.kernel.pad_bottom = op.kernel.pad_right = 1;
  write(bench, op.ifm, {10, 20, 30, 41});
  const auto pooled = [&](PoolMode mode) {
    op.pool = mode;
    return finish(bench, op);
  };
  CHECK(pooled(PoolMode::kMax) == Values{41, 41, 41, 41});
  CHECK(pooled(PoolMode::kMin) == Values{10, 20, 30, 41});
  CHECK(pooled(PoolMode::kSum) == Values{101, 61, 71, 41});
  CHECK(pooled(PoolMode::kAverage) == Values{25, 31, 36, 41});
  op.ofm_scale = {(1u << 30) + 1, 32, Rounding::kNatural, 0};
  CHECK(pooled(PoolMode::kAverage) == Values{25, 31, 36, 41});  // whatever OFM_SCALE says
  op.ofm_scale = {1, 1, Rounding::kTruncateToLower, 0};
  CHECK(pooled(PoolMode::kSum) == Values{50, 30, 35, 20});
}

TEST_CASE("U85 ARGMAX finds the first maximum along an axis") {
  Bench bench("ethos-u85-256");
  BlockOperation op = operation_u85(OpKind::kPool, feature_map(0, 1, 4, 2, 8), feature_map(64, 1, 1, 2, 32));
  op.pool = PoolMode::kArgMaxX;
  op.kernel.width = 4;
  op.ofm_scale = {1, 16, Rounding::kTruncateToLower, 0};
  op.activation.clip = ClipRange::kNone;
  write(bench, op.ifm, {-5, -128, 9, -128, 9, -128, 3, -128});
  CHECK(finish(bench, op) == Values{1, 0});
  op.pool = PoolMode::kArgMaxY;
  op.ifm = feature_map(0, 4, 1, 2, 8);
  op.kernel.width = 1;
  op.kernel.height = 4;
  CHECK(finish(bench, op) == Values{1, 0});
}

TEST_CASE("U85 accumulators come from IFM2 or an earlier operation") {
  Bench bench("ethos-u85-256");
  BlockOperation op = operation_u85(OpKind::kPool, feature_map(0, 1, 1, 2, 8), feature_map(64, 1, 1, 2, 64));
  op.pool = PoolMode::kNone;
  op.acc_input = AccInput::kIfm2;
  op.acc_format = AccFormat::kI48;
  op.ifm2 = feature_map(128, 1, 1, 2, 64);
  op.activation.clip = ClipRange::kNone;
  op.ofm_scale = {1, 1, Rounding::kTruncateToLower, 0};
  write(bench, op.ifm2, {std::int64_t{1} << 40, -7});
  CHECK(finish(bench, op) == Values{std::int64_t{1} << 39, -4});

  op = operation_u85(OpKind::kPool, feature_map(0, 1, 1, 2, 8), feature_map(64, 1, 1, 2, 32));
  op.activation.clip = ClipRange::kNone;
  op.pool = PoolMode::kSum;
  write(bench, op.ifm, {3, 4});
  op.acc_input = AccInput::kKeep;
  CHECK_FALSE(bench.run(op));  // nothing was kept
  op.acc_input = AccInput::kReset;
  op.acc_output = false;
  write(bench, op.ofm, {0, 0});
  CHECK(finish(bench, op) == Values{0, 0});
  op.acc_input = AccInput::kKeep;
  REQUIRE(bench.run(op));
  op.acc_output = true;
  CHECK(finish(bench, op) == Values{9, 12});
}

TEST_CASE("U85 takes the weights of a matrix product from IFM2") {
  for (const int bits : {8, 16}) {
    Bench bench("ethos-u85-256");
    BlockOperation op = operation_u85(OpKind::kConv, feature_map(0, 2, 1, 3, bits), feature_map(256, 2, 1, 2, 32));
    op.weights_from_ifm2 = true;
    op.ifm2 = feature_map(128, 1, 2, 3, bits);
    op.ifm2.zero_point = bits == 8 ? 1 : 0;
    op.activation.clip = ClipRange::kNone;
    op.acc_format = bits == 8 ? AccFormat::kI32 : AccFormat::kI48;
    write(bench, op.ifm, {1, 2, 3, 4, 5, 6});
    write(bench, op.ifm2, bits == 8 ? Values{2, 2, 2, -1, 1, 3} : Values{1000, 1000, 1000, -20000, 0, 20000});
    CHECK(finish(bench, op) == (bits == 8 ? Values{6, 4, 15, 4} : Values{6000, 40000, 15000, 40000}));
  }
}

TEST_CASE("the U85 result flag of a product is that of its last element") {
  for (const int bits : {8, 16, 32}) {
    Bench bench("ethos-u85-256");
    BlockOperation op = operation_u85(OpKind::kConv, feature_map(0, 1, 1, 3, 8), feature_map(256, 1, 1, 2, bits));
    op.weights_from_ifm2 = true;
    op.ifm2 = feature_map(128, 1, 2, 3, 8);
    write(bench, op.ifm, {1, 2, 3});
    write(bench, op.ifm2, {1, 1, 1, 0, 0, 1});
    CHECK(finish(bench, op) == Values{6, 3});
    CHECK(bench.core.result_flag);
    write(bench, op.ifm2, {0, 0, 1, 1, 1, 1});
    CHECK(finish(bench, op) == Values{3, 6});
    CHECK_FALSE(bench.core.result_flag);
  }
}

TEST_CASE("U85 RESIZE") {
  Bench bench("ethos-u85-256");
  BlockOperation op = operation_u85(OpKind::kResize, feature_map(0, 1, 2, 1, 8), feature_map(64, 1, 4, 1, 32));
  op.activation.clip = ClipRange::kNone;
  op.kernel.width = 2;
  op.resize_step.n_x = 2;
  op.resize_step.one_step_mod_x = 1;
  op.resize_step.one_step_int_y = 1;
  op.ofm_scale = {1, 16, Rounding::kNatural, 0};
  write(bench, op.ifm, {10, 20});
  op.resize = ResizeFilter::kBilinear;
  CHECK(finish(bench, op) == Values{20, 30, 40, 40});  // in units of 1 / n_x
  op.resize = ResizeFilter::kNearest;
  CHECK(finish(bench, op) == Values{10, 20, 20, 20});
  op.resize = ResizeFilter::kReplicate;
  CHECK(finish(bench, op) == Values{10, 10, 20, 20});
  op.resize_step.offset_x = -3;
  op.resize = ResizeFilter::kBilinear;
  CHECK(finish(bench, op) == Values{20, 20, 20, 20});
  op.resize_step.offset_x = -1;
  CHECK(finish(bench, op) == Values{20, 20, 30, 40});
}

TEST_CASE("U85 exchanges and reverses the axes of an OFM") {
  const Values source = {0, 1, 2, 10, 11, 12};  // [1][2][3]: w * 10 + c
  const auto stored = [&](int transpose, int reverse, int h, int w, int c) {
    Bench bench("ethos-u85-256");
    BlockOperation op = operation_u85(OpKind::kElementwise, feature_map(0, 1, 2, 3, 8), feature_map(64, h, w, c, 8));
    const FeatureMap as_stored = op.ofm;
    op.ofm.h = 1;
    op.ofm.w = 2;
    op.ofm.c = 3;
    op.elementwise = ElementwiseMode::kAbs;
    op.transpose = transpose;
    op.reverse = reverse;
    write(bench, op.ifm, source);
    REQUIRE(bench.run(op));
    return read(bench, as_stored);
  };
  CHECK(stored(0, 0, 1, 2, 3) == source);
  CHECK(stored(1, 0, 2, 1, 3) == source);                       // WHC
  CHECK(stored(2, 0, 1, 3, 2) == Values{0, 10, 1, 11, 2, 12});  // HCW
  CHECK(stored(3, 0, 2, 3, 1) == source);                       // WCH
  CHECK(stored(6, 0, 3, 1, 2) == Values{0, 10, 1, 11, 2, 12});  // CHW
  CHECK(stored(7, 0, 3, 2, 1) == Values{0, 10, 1, 11, 2, 12});  // CWH
  CHECK(stored(0, 1, 1, 2, 3) == source);
  CHECK(stored(0, 2, 1, 2, 3) == Values{10, 11, 12, 0, 1, 2});
  CHECK(stored(0, 3, 1, 2, 3) == Values{2, 1, 0, 12, 11, 10});
  CHECK(stored(2, 3, 1, 3, 2) == Values{2, 12, 1, 11, 0, 10});
}

TEST_CASE("U85 chains hand whole OFMs on") {
  Bench bench("ethos-u85-256");
  BlockOperation op = operation_u85(OpKind::kElementwise, feature_map(0, 1, 2, 1, 8), feature_map(64, 1, 2, 1, 16));
  op.elementwise = ElementwiseMode::kAbs;
  write(bench, op.ifm, {-100, 50});
  op.ofm.storage = npu::Storage::kChained;
  op.ofm.region = 3;
  const auto produced = bench.run(op);
  REQUIRE(produced);
  CHECK_FALSE(produced->ofm);

  BlockOperation next = operation_u85(OpKind::kElementwise, op.ofm, op.ofm);  // in place in the chain buffer
  next.elementwise = ElementwiseMode::kAdd;
  next.ifm2 = op.ofm;
  REQUIRE(bench.run(next));
  next.ifm.zero_point = 1;
  next.ofm = feature_map(64, 1, 2, 1, 16);
  CHECK(finish(bench, next) == Values{399, 199});
  CHECK(bench.core.result_flag);

  next.ifm.region = 2;
  CHECK_FALSE(bench.run(next));  // never written
  next.ifm.region = 3;
  next.ifm.bits = next.ifm2.bits = 8;
  CHECK_FALSE(bench.run(next));
}

TEST_CASE("U85 storage NONE writes nothing but the result flag") {
  Bench bench("ethos-u85-256");
  BlockOperation op = operation_u85(OpKind::kElementwise, feature_map(0, 1, 1, 2, 8), feature_map(64, 1, 1, 2, 8));
  op.elementwise = ElementwiseMode::kAbs;
  op.ofm.storage = npu::Storage::kNone;
  op.ofm.region = 7;
  write(bench, op.ifm, {2, -3});
  REQUIRE(bench.run(op));
  CHECK(bench.core.result_flag);
  CHECK(read(bench, feature_map(64, 1, 1, 2, 8)) == Values{0, 0});
  op.ifm = feature_map(0, 1, 1, 1, 8);
  op.ofm.h = op.ofm.w = op.ofm.c = 65536;
  const auto huge = bench.run(op);
  REQUIRE_FALSE(huge);
  CHECK(huge.error().code == ErrorCode::kUnsupported);
}

TEST_CASE("three tiles on top of each other") {
  Bench bench("ethos-u85-256");
  BlockOperation op = operation_u85(OpKind::kElementwise, feature_map(0, 4, 1, 1, 8), feature_map(64, 4, 1, 1, 8));
  op.elementwise = ElementwiseMode::kAbs;
  op.ifm.storage = npu::Storage::kTile3x1;
  op.ifm.base = {0, 10, 20, 0};
  op.ifm.height0 = 1;
  op.ifm.height1 = 2;
  for (const auto& [at, value] : {std::pair{0, 1}, {10, 2}, {11, 3}, {20, 4}})
    bench.arena[static_cast<std::size_t>(at)] = static_cast<std::uint8_t>(value);
  CHECK(finish(bench, op) == Values{1, 2, 3, 4});
  op.ifm.base[2] = bench.arena.size();
  CHECK_FALSE(bench.run(op));
}

TEST_CASE("U85 DMA gathers and scatters") {
  Bench bench("ethos-u85-256");
  std::iota(bench.arena.begin(), bench.arena.begin() + 64, std::uint8_t{0});
  const std::int32_t indices[] = {3, 0, 2};
  std::memcpy(bench.arena.data() + 256, indices, sizeof(indices));
  DmaOperation dma;
  dma.family = Family::kU85;
  dma.src_region = dma.dst_region = dma.idx_region = 1;
  dma.dimensions = 2;
  dma.size0 = 3;
  dma.len = 4;
  dma.src_stride0 = dma.dst_stride0 = 4;
  dma.dst = 512;
  dma.idx = 256;
  dma.idx_max = 3;
  dma.src_indexed = true;
  const auto written = execute(dma, bench.map());
  REQUIRE(written);
  CHECK(written->first == 512);
  CHECK(written->last == 524);
  CHECK(bench.arena[512] == 12);
  CHECK(bench.arena[516] == 0);
  CHECK(bench.arena[520] == 8);
  dma.src_indexed = false;
  dma.dst_indexed = true;
  dma.dst = 1024;
  REQUIRE(execute(dma, bench.map()));
  CHECK(bench.arena[1024 + 12] == 0);
  CHECK(bench.arena[1024] == 4);
  CHECK(bench.arena[1024 + 8] == 8);
  CHECK(bench.arena[1024 + 4] == 0);
  dma.idx_max = 2;
  const auto beyond = execute(dma, bench.map());
  REQUIRE_FALSE(beyond);
  CHECK(beyond.error().code == ErrorCode::kHardwareFault);
  dma.idx_max = 3;
  dma.dst_stride0 = std::int64_t{1} << 39;
  CHECK_FALSE(execute(dma, bench.map()));
}

TEST_CASE("U85 DMA in three dimensions") {
  Bench bench("ethos-u85-256");
  std::iota(bench.arena.begin(), bench.arena.begin() + 64, std::uint8_t{0});
  DmaOperation dma;
  dma.family = Family::kU85;
  dma.src_region = dma.dst_region = 1;
  dma.dimensions = 3;
  dma.size0 = dma.size1 = 2;
  dma.len = 1;
  dma.src_stride0 = 2;
  dma.src_stride1 = 10;
  dma.dst_stride0 = 1;
  dma.dst_stride1 = 4;
  dma.dst = 512;
  REQUIRE(execute(dma, bench.map()));
  CHECK(std::vector<int>(bench.arena.begin() + 512, bench.arena.begin() + 518) == std::vector<int>{0, 2, 0, 0, 10, 12});
}
