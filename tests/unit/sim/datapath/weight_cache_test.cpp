#include "sim/datapath/weight_cache.hpp"
#include "tests/unit/sim/datapath/support.hpp"

#include <functional>
#include <numeric>

using namespace macaw;
using namespace macaw::npu;
using namespace macaw::npu::test;

namespace {

/// A convolution of 3x3 taps over 40 channels with weights that are all different in their neighbourhood.
BlockOperation convolution(Bench& bench) {
  BlockOperation op = operation(OpKind::kConv, feature_map(0, 3, 3, 40, 8), feature_map(1024, 1, 1, 40, 8));
  op.family = bench.accelerator->family;
  op.kernel.height = op.kernel.width = 3;
  op.ublock = bench.accelerator->ofm_ublock;
  const auto geometry = weight_geometry(op, *bench.accelerator);
  REQUIRE(geometry);
  std::vector<std::int16_t> weights(40 * 9 * 40);
  std::mt19937 random(3);
  for (auto& weight : weights) weight = static_cast<std::int16_t>(pick(random, -99, 99));
  const auto symbols = order_weights(*geometry, 0, weights);
  REQUIRE(symbols);
  const auto stream = encode_weight_stream(*symbols);
  REQUIRE(stream);
  op.weights[0] = bench.add(*stream);
  return op;
}

struct OtherReading {
  const char* what;
  std::function<void(BlockOperation&)> make;
};

const std::vector<OtherReading> kReadings = {
    {"nothing", [](BlockOperation&) {}},
    {"depth of the OFM block", [](BlockOperation& op) { op.block.c = 8; }},
    {"part kernel first", [](BlockOperation& op) { op.kernel.part_kernel_first = true; }},
    {"decomposition", [](BlockOperation& op) { op.kernel.decomposition = 2; }},
    {"16-bit IFM", [](BlockOperation& op) { op.ifm.bits = 16; }},
    {"channels of the IFM", [](BlockOperation& op) { op.ifm.c = 32; }},
    {"channels of the OFM", [](BlockOperation& op) { op.ofm.c = 24; }},
    {"depthwise", [](BlockOperation& op) { op.kind = OpKind::kDepthwise; }},
    {"fewer rows", [](BlockOperation& op) { op.kernel.height = 2; }},
    {"kernel of one row", [](BlockOperation& op) { op.kernel.height = 1, op.kernel.width = 9; }},
    {"dilation", [](BlockOperation& op) { op.kernel.height = 5, op.kernel.dilation_y = 2; }},
};

}  // namespace

TEST_CASE("the same stream is decoded anew for an operation that reads it in another way") {
  Bench bench("ethos-u55-128");
  const BlockOperation base = convolution(bench);
  for (const OtherReading& change : kReadings) {
    BlockOperation other = base;
    change.make(other);
    WeightCache cache(1 << 20);
    CAPTURE(change.what);
    REQUIRE(cache.get(base, *bench.accelerator, bench.map(), true));
    const auto direct = prepare_weights(other, *bench.accelerator, bench.map(), true);
    const auto cached = cache.get(other, *bench.accelerator, bench.map(), true);
    REQUIRE(cached.has_value() == direct.has_value());
    CHECK(cache.check(other, *bench.accelerator, bench.map()).has_value() == direct.has_value());
    if (!direct) continue;
    using Plain = Uncleared<std::int16_t>;
    CHECK(std::ranges::equal(std::get<Plain>(**cached), std::get<Plain>(**direct)));
  }
}

TEST_CASE("what has not been used for longest leaves a full cache") {
  Bench bench("ethos-u55-128");
  bench.constants.reserve(1 << 20);  // the cache knows constants by their place
  std::vector<BlockOperation> ops;
  for (int i = 0; i < 4; ++i) ops.push_back(convolution(bench));
  const auto get = [&](WeightCache& cache, std::size_t i) {
    const auto weights = cache.get(ops[i], *bench.accelerator, bench.map(), false);
    REQUIRE(weights);
    return *weights;
  };
  WeightCache whole(SIZE_MAX);
  get(whole, 0);
  const std::size_t one = whole.bytes();
  WeightCache cache(3 * one);
  std::vector<std::shared_ptr<const ConvWeights>> held;
  for (std::size_t i = 0; i < 3; ++i) held.push_back(get(cache, i));
  CHECK(cache.bytes() == 3 * one);
  CHECK(get(cache, 0) == held[0]);
  held.push_back(get(cache, 3));  // 1 was used longest ago
  CHECK(cache.bytes() == 3 * one);
  for (const std::size_t i : {0U, 2U, 3U}) CHECK(get(cache, i) == held[i]);
  CHECK(get(cache, 1) != held[1]);
  // Then 0.
  CHECK(get(cache, 2) == held[2]);
  CHECK(get(cache, 3) == held[3]);
  CHECK(get(cache, 0) != held[0]);
}
