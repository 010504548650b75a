#include "tests/unit/sim/datapath/support.hpp"

#include "sim/datapath/dma.hpp"
#include "sim/datapath/output_rows.hpp"

#include <functional>
#include <numeric>

// Ties, signs, widths and starts at which a slip changes few values only.
using namespace macaw;
using namespace macaw::npu;
using namespace macaw::npu::test;

namespace {

using Values = std::vector<std::int64_t>;
using Change = std::function<void(BlockOperation&)>;

Values run_edge(ElementwiseMode mode, const Values& a, const Values& b, int bits, int ofm_bits, const Change& change) {
  Bench bench("ethos-u55-128");
  const int n = static_cast<int>(a.size());
  auto op = operation(OpKind::kElementwise, feature_map(0, 1, 1, n, bits), feature_map(1024, 1, 1, n, ofm_bits));
  op.ifm2 = feature_map(512, 1, 1, n, bits);
  op.elementwise = mode;
  op.ifm_scale.scale = op.ifm2_scale.scale = 1;
  change(op);
  write(bench, op.ifm, a);
  write(bench, op.ifm2, b);
  REQUIRE(bench.run(op));
  return read(bench, op.ofm);
}

Values scaled(const ChannelScale& entry, int bits, Rounding rounding, const Values& accumulators) {
  const ChannelScaling scaling(std::span(&entry, 1), rounding, bits);
  Values out(accumulators.size());
  scaling.apply(accumulators.data(), static_cast<int>(out.size()), 1, out.data());
  return out;
}

}  // namespace

TEST_CASE("the bounds of a forced range are signed, whatever the OFM is") {
  const auto forced = [](ClipRange clip, bool is_signed, int low, int high) {
    return [=](BlockOperation& op) {
      op.ofm.is_signed = is_signed;
      op.activation.clip = clip;
      op.activation.min = static_cast<std::uint16_t>(low);
      op.activation.max = static_cast<std::uint16_t>(high);
    };
  };
  using Mode = ElementwiseMode;
  // An unsigned OFM stores the low bits.
  CHECK(run_edge(Mode::kAdd, {-50, -120, 90}, {0, 0, 0}, 8, 8, forced(ClipRange::kForceInt8, false, -100, 60)) ==
        Values{206, 156, 60});
  CHECK(run_edge(Mode::kAdd, {-500, -2000, 900}, {0, 0, 0}, 16, 16,
                 forced(ClipRange::kForceInt16, false, -1000, 600)) == Values{65036, 64536, 600});
  CHECK(run_edge(Mode::kAdd, {300, -300}, {0, 0}, 16, 16, forced(ClipRange::kForceInt8, true, -32768, 32767)) ==
        Values{127, -128});
}

TEST_CASE("SHR rounds as OFM_PRECISION says") {
  const auto rounded = [](Rounding rounding) { return [=](BlockOperation& op) { op.ofm_scale.rounding = rounding; }; };
  const Values a = {7, -7, -8, 5}, b = {1, 1, 1, 2};
  CHECK(run_edge(ElementwiseMode::kShr, a, b, 32, 32, rounded(Rounding::kTruncateToLower)) == Values{3, -4, -4, 1});
  CHECK(run_edge(ElementwiseMode::kShr, a, b, 32, 32, rounded(Rounding::kSymmetric)) == Values{4, -4, -4, 1});
  CHECK(run_edge(ElementwiseMode::kShr, a, b, 32, 32, rounded(Rounding::kNatural)) == Values{4, -3, -4, 1});
}

TEST_CASE("the operand that is not rescaled has its own factor") {
  const auto modes = [](OperandScaling mode, Scaling scale, std::uint32_t other, Scaling ofm) {
    return [=](BlockOperation& op) {
      op.operand_scaling = mode;
      op.ifm_scale = scale;
      op.ifm2_scale.scale = other;
      op.ofm_scale = ofm;
    };
  };
  using Mode = ElementwiseMode;
  constexpr auto kLower = Rounding::kTruncateToLower;
  // 10 * 2^18 - 20 * OPB_SCALE, over 2^18; the factor of 8-bit operands is 2^19 where OPB_SCALE is 0.
  const Scaling times_2_18 = {1u << 30, 12, Rounding::kDoubleSymmetric, 0};
  CHECK(run_edge(Mode::kSub, {10}, {20}, 8, 8, modes(OperandScaling::kOpa32, times_2_18, 3, {1, 18, kLower, 0})) ==
        Values{9});
  CHECK(run_edge(Mode::kSub, {10}, {20}, 8, 8, modes(OperandScaling::kOpa32, times_2_18, 0, {1, 18, kLower, 0})) ==
        Values{-30});
  // 2^14 for 16 bits.
  CHECK(run_edge(Mode::kSub, {1}, {1}, 16, 16, modes(OperandScaling::kOpa32, times_2_18, 0, {1, 14, kLower, 0})) ==
        Values{15});
  // The first stage of double rounding begins above a shift of 16 for 16 bits, of 11 for 8.
  const Scaling over_2_14 = {1, 14, Rounding::kDoubleSymmetric, 0};
  CHECK(run_edge(Mode::kAdd, {8191}, {0}, 16, 16, modes(OperandScaling::kOpa32, over_2_14, 1, {1, 0, kLower, 0})) ==
        Values{0});
  const Scaling eighths = {64 * 127 + 63, 14, Rounding::kDoubleSymmetric, 0};
  CHECK(run_edge(Mode::kAdd, {1}, {0}, 8, 8, modes(OperandScaling::kOpa32, eighths, 1, {1, 0, kLower, 0})) ==
        Values{1});
}

TEST_CASE("a 32-bit OFM of narrower operands is shifted only") {
  CHECK(run_edge(ElementwiseMode::kAdd, {100}, {50}, 16, 32, [](BlockOperation& op) {
          op.ifm_scale.scale = 7;
          op.ofm_scale = {3, 1, Rounding::kNatural, 0};
          op.activation.clip = ClipRange::kNone;
        }) == Values{75});
}

TEST_CASE("an operand of one column is repeated along the rows") {
  Bench bench("ethos-u55-128");
  auto op = operation(OpKind::kElementwise, feature_map(0, 2, 2, 1, 8), feature_map(64, 2, 2, 1, 8));
  op.ifm2 = feature_map(512, 2, 1, 1, 8);
  op.ifm2_broadcast.w = true;
  op.elementwise = ElementwiseMode::kAdd;
  op.ifm_scale.scale = op.ifm2_scale.scale = 1;
  write(bench, op.ifm, {1, 2, 3, 4});
  write(bench, op.ifm2, {10, 20});
  REQUIRE(bench.run(op));
  CHECK(read(bench, op.ofm) == Values{11, 12, 23, 24});
}

TEST_CASE("tanh is odd and sigmoid symmetric about a half, ties included") {
  std::int64_t wrong = 0;
  for (std::int64_t v = 0; v < 140'000; ++v) {
    wrong += builtin_tanh(-v) != -builtin_tanh(v) && v != 0;
    wrong += builtin_sigmoid(-v) != 32768 - builtin_sigmoid(v) && v != 0;
  }
  CHECK(wrong == 0);
}

TEST_CASE("a maximum starts below every value, zero point or not") {
  Bench bench("ethos-u55-128");
  auto op = operation(OpKind::kPool, feature_map(0, 2, 2, 1, 8), feature_map(64, 1, 1, 1, 8));
  op.pool = PoolMode::kMax;
  op.kernel.height = op.kernel.width = 2;
  op.ifm.zero_point = op.ofm.zero_point = 100;
  write(bench, op.ifm, {-128, -127, -120, -126});
  REQUIRE(bench.run(op));
  CHECK(read(bench, op.ofm) == Values{-120});
}

TEST_CASE("taps of a dilated window that lie before the map are passed over") {
  Bench bench("ethos-u55-128");
  auto op = operation(OpKind::kPool, feature_map(0, 1, 3, 1, 8), feature_map(64, 1, 3, 1, 8));
  op.pool = PoolMode::kMax;
  op.kernel.width = 3;
  op.kernel.dilation_x = 2;
  op.kernel.pad_left = op.kernel.pad_right = 1;
  write(bench, op.ifm, {5, 9, 7});
  REQUIRE(bench.run(op));
  CHECK(read(bench, op.ofm) == Values{9, 7, 9});
}

TEST_CASE("padding at one side is enough for an average to divide by its taps") {
  for (int Kernel::*side : {&Kernel::pad_top, &Kernel::pad_bottom}) {
    Bench bench("ethos-u55-128");
    auto op = operation(OpKind::kPool, feature_map(0, 2, 1, 1, 8), feature_map(64, 2, 1, 1, 8));
    op.pool = PoolMode::kAverage;
    op.kernel.height = 2;
    op.kernel.*side = 1;
    op.ofm_scale.rounding = Rounding::kNatural;
    write(bench, op.ifm, {10, 31});
    REQUIRE(bench.run(op));
    CHECK(read(bench, op.ofm) == (side == &Kernel::pad_top ? Values{10, 21} : Values{21, 31}));
  }
}

TEST_CASE("accumulators wrap at their width, bias included, and wide products are exact") {
  constexpr auto kNatural = Rounding::kNatural;
  CHECK(scaled({1, 1, 0}, 32, kNatural, {INT32_MAX, 5}) == Values{INT32_MIN, 6});
  constexpr std::int64_t k39 = std::int64_t{1} << 39;
  CHECK(scaled({1, 1, 0}, 40, kNatural, {k39 - 1}) == Values{-k39});
  CHECK(scaled({0, 0xFFFFFFFFu, 38}, 40, kNatural, {k39 / 2, -k39}) == Values{0xFFFFFFFFll, -2 * 0xFFFFFFFFll});
}

TEST_CASE("biases keep their 40 and 48 bits") {
  for (const auto& [format, bits] : {std::pair(ScaleFormat::kBias40Scale32, 40), {ScaleFormat::kBias48Scale15, 48}}) {
    const std::int64_t least = -(std::int64_t{1} << (bits - 1));
    std::vector<std::uint8_t> stream;
    for (const std::int64_t bias : {least, -least - 1, least / 2 + 5}) encode_scale(stream, {bias, 3, 33}, format);
    const auto entries = decode_scales(stream, 3, format);
    REQUIRE(entries);
    CHECK((*entries)[0].bias == least);
    CHECK((*entries)[1].bias == -least - 1);
    CHECK((*entries)[2].bias == least / 2 + 5);
    CHECK((*entries)[2].shift == 33);
  }
}

TEST_CASE("U65: the destination of a three-dimensional copy skips between rows and planes") {
  Bench bench("ethos-u65-256");
  std::iota(bench.arena.begin(), bench.arena.begin() + 4, std::uint8_t{1});
  DmaOperation dma;
  dma.family = Family::kU65;
  dma.src_region = dma.dst_region = 1;
  dma.dimensions = 3;
  dma.size0 = dma.size1 = 2;
  dma.len = 1;
  dma.skip0 = 1;
  dma.skip1 = 3;
  dma.dst = 100;
  REQUIRE(execute(dma, bench.map()));
  const std::vector<std::uint8_t> expected = {1, 0, 2, 0, 0, 0, 0, 3, 0, 4};
  CHECK(std::vector(bench.arena.begin() + 100, bench.arena.begin() + 110) == expected);
}
