#include "sim/datapath/fast/byte_product.hpp"
#include "sim/datapath/fast/depthwise_sums.hpp"
#include "sim/datapath/output_rows.hpp"
#include "tests/unit/sim/datapath/support.hpp"

#include <cstring>

// Vector kernels beside plain loops, on random values and on the ends of every range.
using namespace macaw;
using namespace macaw::npu;
using namespace macaw::npu::test;

namespace {

using Random = std::mt19937;

int below(Random& random, int end) { return static_cast<int>(random() % static_cast<unsigned>(end)); }

std::vector<std::int16_t> random_weights(Random& random, std::size_t count, int low, int high) {
  std::vector<std::int16_t> weights(count);
  for (auto& w : weights)
    w = static_cast<std::int16_t>(random() % 8 == 0 ? (random() % 2 ? low : high)
                                                    : low + below(random, high - low + 1));
  return weights;
}

std::vector<std::int32_t> random_words(Random& random, std::size_t count) {
  constexpr std::int32_t kEnds[] = {INT32_MIN, INT32_MAX, -1, 0, 1, 1 << 30, -(1 << 30)};
  std::vector<std::int32_t> words(count);
  for (auto& w : words) {
    w = static_cast<std::int32_t>(random()) >> below(random, 32);
    if (random() % 8 == 0) w = kEnds[below(random, 7)];
  }
  return words;
}

template <class T>
std::vector<T> random_elements(Random& random, std::size_t count) {
  std::vector<T> elements(count);
  for (auto& e : elements) e = static_cast<T>(random() % 6 == 0 ? random() % 2 - 1 : random());
  return elements;
}

/// Positions of pixels, in no order.
template <class T>
std::vector<const T*> random_pixels(Random& random, const std::vector<T>& elements, int count, int reach) {
  std::vector<const T*> pixels;
  for (int p = 0; p < count; ++p)
    pixels.push_back(elements.data() + below(random, static_cast<int>(elements.size()) - reach));
  return pixels;
}

template <class Input>
void compare_depthwise(Random& random) {
  for (int round = 0; round < 100; ++round) {
    const int channels = 1 + below(random, 70), taps = 1 + below(random, 12), pixels = 1 + below(random, 11);
    const auto weights =
        pack_tap_weights(random_weights(random, static_cast<std::size_t>(channels * taps), -255, 255), channels, taps);
    const auto input = random_elements<Input>(random, 4096);
    std::vector<std::ptrdiff_t> offsets;
    for (int t = 0; t < taps; ++t) offsets.push_back(below(random, 2000));
    const auto at = random_pixels(random, input, pixels, 2100);
    const auto start = random_words(random, static_cast<std::size_t>(weights.channels));
    std::vector<std::int32_t> expected(at.size() * start.size()), actual(expected.size());
    depthwise_sums_scalar<Input>(at, offsets, weights.tap(0), start, expected.data());
    depthwise_sums<Input>(at, offsets, weights.tap(0), start, actual.data());
    REQUIRE(actual == expected);
  }
}

constexpr Rounding kRoundings[] = {Rounding::kDoubleSymmetric, Rounding::kNatural,        Rounding::kDoubleAsymmetric,
                                   Rounding::kSymmetric,       Rounding::kTruncateToZero, Rounding::kTruncateToLower};

BlockOperation random_output(Random& random, Family family) {
  const int bits = 8 << below(random, 3);
  auto op = operation(OpKind::kConv, feature_map(0, 1, 1, 8, 8), feature_map(1024, 1, 1, 8, bits));
  op.family = family;
  op.ofm.is_signed = random() % 3 != 0;
  op.ofm.zero_point = below(random, 256) - (op.ofm.is_signed ? 128 : 0);
  const int low = op.ofm.is_signed ? -below(random, 200) : below(random, 100);
  op.activation.min = static_cast<std::uint16_t>(low);
  op.activation.max = static_cast<std::uint16_t>(low + below(random, 300) - 20);
  if (random() % 4 == 0) op.activation.clip = static_cast<ClipRange>(below(random, 5));
  if (bits == 8 && random() % 3 == 0) {
    op.activation.function = ActivationFunction::kTable;
    op.activation.form = op.ofm.is_signed ? TableForm::kS8S8 : TableForm::kU8U8;
  }
  return op;
}

/// How many of `rounds` random output stages run in lanes; all must be what the plain ones give.
template <class Stage>
int compare_output(Random& random, const char* name, int rounds) {
  int in_lanes = 0;
  for (int round = 0; round < rounds; ++round) {
    Bench bench(name);
    bench.internal = random_elements<std::uint8_t>(random, bench.internal.size());
    const auto op = random_output(random, bench.accelerator->family);
    const int channels = 1 + below(random, 40), pixels = 1 + below(random, 5);
    const auto rounding = kRoundings[below(random, 6)];
    const int least_shift = 32 * below(random, 2);
    std::vector<ChannelScale> entries(static_cast<std::size_t>(channels));
    for (auto& e : entries)
      e = {static_cast<std::int64_t>(random()) - (std::int64_t{1} << 31),
           static_cast<std::uint32_t>(random()) >> (1 + below(random, 31)),
           least_shift + below(random, 64 - least_shift)};
    const ChannelScaling scaling(entries, rounding, 32);
    const auto stage = Stage::create(op, *bench.accelerator, bench.map());
    REQUIRE(stage);
    const auto lane_channels = scaling.lane_channels();
    if (rounding != Rounding::kTruncateToZero) REQUIRE(lane_channels);
    const auto activation = stage->lanes(op.ofm);
    if (!lane_channels || !activation) continue;
    ++in_lanes;
    const OutputLanes lanes(*lane_channels, *activation, op.ofm.bits, op.ofm.is_signed);
    const int stride = (channels + kGemmChannels - 1) / kGemmChannels * kGemmChannels;
    const auto accumulators = random_words(random, static_cast<std::size_t>(pixels * stride));
    std::vector<std::int64_t> values(static_cast<std::size_t>(pixels * channels));
    scaling.apply(accumulators.data(), pixels, stride, values.data());
    stage->apply(values);
    const auto size = static_cast<std::size_t>(op.ofm.bytes());
    std::vector<std::uint8_t> expected(values.size() * size);
    for (std::size_t i = 0; i < values.size(); ++i) std::memcpy(expected.data() + i * size, &values[i], size);
    std::vector<std::uint8_t> best(lanes.row_bytes(pixels)), plain(best.size());
    lanes.apply(accumulators.data(), pixels, stride, best.data());
    lanes.apply_scalar(accumulators.data(), pixels, stride, plain.data());
    best.resize(expected.size());
    plain.resize(expected.size());
    REQUIRE(best == expected);
    REQUIRE(plain == expected);
  }
  return in_lanes;
}

}  // namespace

TEST_CASE("products of bytes equal the plain loop") {
  Random random(5);
  for (int round = 0; round < 100; ++round) {
    const int channels = 1 + below(random, 70), runs = 1 + below(random, 4), taps = 1 + below(random, 3);
    const int depth = 1 + below(random, 20), padded = (depth + 3) / 4 * 4;
    const auto weights =
        pack_byte_weights(random_weights(random, static_cast<std::size_t>(channels * runs * taps * depth), -128, 127),
                          channels, runs, taps, depth, padded);
    const auto input = random_elements<std::uint8_t>(random, 4096);
    std::vector<std::ptrdiff_t> offsets;
    for (int r = 0; r < runs; ++r) offsets.push_back(below(random, 2000));
    const auto pixels = random_pixels(random, input, 1 + below(random, 23), 2100);
    const auto start = random_words(random, weights.sums.size());
    std::vector<std::int32_t> expected(pixels.size() * start.size()), actual(expected.size());
    byte_product_scalar(pixels, offsets, weights, start, expected.data());
    byte_product(pixels, offsets, weights, start, actual.data());
    REQUIRE(actual == expected);
  }
}

TEST_CASE("depthwise sums of bytes equal the plain loop") {
  Random random(6);
  compare_depthwise<std::uint8_t>(random);
}

TEST_CASE("depthwise sums of 16-bit inputs equal the plain loop") {
  Random random(7);
  compare_depthwise<std::int16_t>(random);
}

TEST_CASE("the output stage in vector lanes equals bias, scale and activation one by one") {
  Random random(8);
  CHECK(compare_output<ActivationStage>(random, "ethos-u55-128", 600) > 200);
  CHECK(compare_output<ActivationStage>(random, "ethos-u65-256", 600) > 200);
  CHECK(compare_output<ActivationStageU85>(random, "ethos-u85-256", 600) > 200);
}

TEST_CASE("wide accumulators and scales of 32 bits stay out of the lanes") {
  const ChannelScale entry{0, 0x80000000u, 40};
  CHECK_FALSE(ChannelScaling(std::span(&entry, 1), Rounding::kNatural, 32).lane_channels());
  const ChannelScale narrow{0, 0x7FFFu, 10};
  CHECK(ChannelScaling(std::span(&narrow, 1), Rounding::kNatural, 32).lane_channels());
  CHECK_FALSE(ChannelScaling(std::span(&narrow, 1), Rounding::kNatural, 48).lane_channels());
}
