#include "sim/datapath/layer_weights.hpp"
#include "sim/datapath/u85/weight_order.hpp"
#include "tests/unit/sim/datapath/plain.hpp"

using namespace macaw;
using namespace macaw::npu;
using namespace macaw::npu::test;

namespace {

/// Long, because each draw depends on those before: a random CONV or DEPTHWISE, run through streams and kernels,
/// against the sums written out. `long_sums` go over more products than 32 bits hold, most of them as great as they can
/// be.
void check_convolution(std::mt19937& random, const char* accelerator, bool long_sums, Workers& workers) {
  Bench bench(accelerator);
  const bool depthwise = random() % 3 == 0, wide = long_sums || random() % 4 == 0;
  const int oc = pick(random, 1, long_sums ? 5 : 40);
  const int ic = depthwise ? oc : long_sums ? pick(random, 257, 700) : pick(random, 1, 40);
  const int taps_y = long_sums ? (depthwise ? pick(random, 17, 20) : 1) : pick(random, 1, 4);
  const int taps_x = long_sums ? (depthwise ? pick(random, 17, 20) : 1) : pick(random, 1, 10);
  Kernel k;
  k.dilation_y = pick(random, 1, 2);
  k.dilation_x = pick(random, 1, 2);
  k.height = (taps_y - 1) * k.dilation_y + 1;
  k.width = (taps_x - 1) * k.dilation_x + 1;
  k.stride_y = pick(random, 1, 3);
  k.stride_x = pick(random, 1, 3);
  k.part_kernel_first = random() % 2;
  const int oh = pick(random, 1, 5), ow = pick(random, 1, 9);
  k.pad_top = pick(random, 0, k.height - 1);
  k.pad_left = pick(random, 0, k.width - 1);
  int up_h = (oh - 1) * k.stride_y + k.height - k.pad_top, up_w = (ow - 1) * k.stride_x + k.width - k.pad_left;
  k.pad_bottom = pick(random, 0, std::min(k.height, up_h) - 1);
  k.pad_right = pick(random, 0, std::min(k.width, up_w) - 1);
  up_h -= k.pad_bottom;
  up_w -= k.pad_right;
  const auto upscale = static_cast<Upscale>(random() % 3);
  const int factor = upscale == Upscale::kNone ? 1 : 2;
  const int h = (up_h + factor - 1) / factor, w = (up_w + factor - 1) / factor;

  const auto layout = [&] { return random() % 2 ? Layout::kNHWC : Layout::kNHCWB16; };
  FeatureMap ifm = feature_map(0, h, w, ic, wide ? 16 : 8, layout());
  FeatureMap ofm = feature_map(1 << 19, oh, ow, oc, 32, layout());
  ifm.zero_point = !wide          ? (random() % 8 ? pick(random, -128, 127) : pick(random, -300, 300))
                   : random() % 3 ? 0
                                  : static_cast<std::int16_t>(random());
  BlockOperation op = operation(depthwise ? OpKind::kDepthwise : OpKind::kConv, ifm, ofm);
  bench.arena.resize(1 << 20);
  op.family = bench.accelerator->family;
  op.kernel = k;
  op.upscale = upscale;
  op.scale_per_channel = true;
  const bool u85 = op.family == Family::kU85;
  op.acc_format = !wide ? AccFormat::kI32 : u85 ? AccFormat::kI48 : AccFormat::kI40;
  op.dual_core = bench.accelerator->cores == 2;
  if (u85) {
    const auto& ublocks = bench.accelerator->ofm_ublocks;
    const auto shapes = std::count_if(ublocks.begin(), ublocks.end(), [](const Hwc& u) { return u.c > 0; });
    op.ublock = ublocks[random() % static_cast<std::size_t>(shapes)];
    op.block.c = op.ublock.c * pick(random, 1, 3);
    op.fast_weights = !depthwise && random() % 2;
    op.sparse_weights = !depthwise && random() % 4 == 0;
    op.activation.clip = ClipRange::kNone;
  }

  std::vector<std::int64_t> input(static_cast<std::size_t>(h * w * ic));
  for (auto& v : input) {
    v = wide ? static_cast<std::int16_t>(random()) : static_cast<std::int8_t>(random());
    if (long_sums && random() % 8) v = -32768;
  }
  write(bench, ifm, input);
  std::vector<std::int16_t> weights(static_cast<std::size_t>(oc * taps_y * taps_x * (depthwise ? 1 : ic)));
  const bool palette = random() % 2;
  const int largest = random() % 2 ? 255 : 127;
  for (auto& v : weights) {
    if (op.fast_weights) v = static_cast<std::int16_t>(palette ? 17 * pick(random, -7, 7) : pick(random, -200, 55));
    else v = static_cast<std::int16_t>(long_sums && random() % 8 ? -255 : pick(random, -largest, largest));
  }
  const auto geometry = weight_geometry(op, *bench.accelerator);
  REQUIRE(geometry);
  std::vector<ChannelScale> scales(static_cast<std::size_t>(oc));
  for (auto& s : scales)
    s = {pick(random, -1000, 1000), static_cast<std::uint32_t>(random() >> 1), pick(random, 31, 40)};
  if (!u85 || wide)
    for (auto& s : scales)
      if (random() % 4 == 0) s.bias = (static_cast<std::int64_t>(random() % 256) - 128) * (std::int64_t{1} << 32);
  const ScaleFormat format = !u85   ? ScaleFormat::kBias40Scale32
                             : wide ? ScaleFormat::kBias48Scale15
                                    : ScaleFormat::kBias32Scale31;
  if (format == ScaleFormat::kBias48Scale15)
    for (auto& s : scales) s = {s.bias, s.scale & 0x7FFF, s.shift - 16};
  std::vector<std::vector<std::int16_t>> streams;
  for (int core = 0; core < geometry->streams; ++core) {
    auto symbols = order_weights(*geometry, core, weights);
    REQUIRE(symbols);
    REQUIRE(static_cast<std::int64_t>(symbols->size()) == *weight_stream_symbols(*geometry, core));
    streams.push_back(std::move(*symbols));
  }
  if (op.fast_weights) {
    std::vector<std::int16_t> all;
    const auto block = static_cast<std::ptrdiff_t>(interleave_block(*geometry));
    for (std::ptrdiff_t at = 0; at < std::ssize(streams[0]); at += block)
      for (const auto& own : streams) all.insert(all.end(), own.begin() + at, own.begin() + at + block);
    const auto stream = encode_fast_weight_stream(all);
    REQUIRE(stream);
    op.weights[0] = bench.add(*stream);
  }
  for (std::size_t core = 0; core < streams.size(); ++core) {
    if (!op.fast_weights) {
      const auto stream = encode_weight_stream(streams[core]);
      REQUIRE(stream);
      op.weights[core] = bench.add(*stream);
    }
    if (u85 && core > 0) continue;
    std::vector<std::uint8_t> entries;
    for (std::size_t c = core; c < scales.size(); c += u85 ? 1 : streams.size())
      encode_scale(entries, scales[c], format);
    op.scales[core] = bench.add(entries);
  }
  op.ofm_scale.rounding =
      u85 ? static_cast<Rounding>(random() % 6)
          : std::array{Rounding::kDoubleSymmetric, Rounding::kTruncateToZero, Rounding::kNatural}[random() % 3];
  if (random() % 4 == 0) {  // biases of the stream, one scale for all
    op.scale_per_channel = false;
    op.ofm_scale.scale = scales[0].scale;
    op.ofm_scale.shift = scales[0].shift;
  }
  const auto tap = [&](int y, int x, int c) -> std::int64_t {
    if (y < 0 || x < 0 || y >= up_h || x >= up_w) return 0;
    if (upscale == Upscale::kZeros && (y % 2 || x % 2)) return 0;
    return input[static_cast<std::size_t>(((y / factor) * w + x / factor) * ic + c)] - ifm.zero_point;
  };
  std::vector<std::int64_t> expected;
  for (int y = 0; y < oh; ++y)
    for (int x = 0; x < ow; ++x)
      for (int o = 0; o < oc; ++o) {
        const auto& s = scales[static_cast<std::size_t>(o)];
        plain::Number sum = s.bias;
        for (int ky = 0; ky < taps_y; ++ky)
          for (int kx = 0; kx < taps_x; ++kx)
            for (int i = 0; i < (depthwise ? 1 : ic); ++i)
              sum += tap(y * k.stride_y + ky * k.dilation_y - k.pad_top,
                         x * k.stride_x + kx * k.dilation_x - k.pad_left, depthwise ? o : i) *
                     weights[static_cast<std::size_t>(((o * taps_y + ky) * taps_x + kx) * (depthwise ? 1 : ic) + i)];
        sum = plain::low_bits(sum, !wide ? 32 : u85 ? 48 : 40, true);
        const Scaling scale = {s.scale, s.shift, op.ofm_scale.rounding, 0};
        const auto v = plain::rounded(sum, op.scale_per_channel ? scale : op.ofm_scale);
        expected.push_back(static_cast<std::int64_t>(u85 ? plain::low_bits(v, 32, true)
                                                         : std::clamp<plain::Number>(v, INT32_MIN, INT32_MAX)));
      }
  WeightCache cache(1 << 20);
  const Execution ways[] = {
      {}, {.scalar = true}, {.workers = &workers, .share_all = true, .weights = &cache}, {.weights = &cache}};
  for (const Execution& way : ways) {
    std::fill(bench.arena.begin() + (1 << 19), bench.arena.end(), std::uint8_t{0xA5});
    const auto done = bench.run(op, way);
    INFO((done ? "" : done.error().to_string()) << " way " << &way - ways);
    REQUIRE(done);
    CHECK(read(bench, ofm) == expected);
  }
}

}  // namespace

TEST_CASE("convolutions of random geometry equal the sums written out") {
  std::mt19937 random(11);
  Workers workers(3);
  for (const char* name : {"ethos-u55-32", "ethos-u55-128", "ethos-u55-256", "ethos-u65-512", "ethos-u85-128",
                           "ethos-u85-256", "ethos-u85-512", "ethos-u85-1024", "ethos-u85-2048"})
    for (int round = 0; round < 66; ++round) {
      INFO(name << " round " << round);
      check_convolution(random, name, round >= 60, workers);
    }
}

TEST_CASE("weights in memory that is written are decoded anew when they change") {
  Bench bench("ethos-u55-128");
  BlockOperation op = operation(OpKind::kDepthwise, feature_map(0, 1, 1, 8, 8), feature_map(64, 1, 1, 8, 8));
  const auto geometry = weight_geometry(op, *bench.accelerator);
  REQUIRE(geometry);
  write(bench, op.ifm, std::vector<std::int64_t>(8, 1));
  op.scale_per_channel = true;
  std::vector<std::uint8_t> scales;
  for (int c = 0; c < 8; ++c) encode_scale(scales, {0, 1, 0}, ScaleFormat::kBias40Scale32);
  op.scales[0] = bench.add(scales);
  WeightCache cache(1 << 20);
  for (const int weight : {3, -5, 3}) {
    const auto symbols = order_weights(*geometry, 0, std::vector<std::int16_t>(8, static_cast<std::int16_t>(weight)));
    REQUIRE(symbols);
    const auto stream = encode_weight_stream(*symbols);
    REQUIRE(stream);
    std::copy(stream->begin(), stream->end(), bench.arena.begin() + 256);
    op.weights[0] = {1, 256, stream->size()};
    REQUIRE(bench.run(op, {.weights = &cache}));
    CHECK(read(bench, op.ofm) == std::vector<std::int64_t>(8, weight));
  }
}

TEST_CASE("a weight cache holds what was used last, up to its limit") {
  Bench bench("ethos-u55-128");
  const auto layer = [&](int c) {
    BlockOperation op = operation(OpKind::kDepthwise, feature_map(0, 1, 1, c, 8), feature_map(512, 1, 1, c, 8));
    const auto geometry = weight_geometry(op, *bench.accelerator);
    REQUIRE(geometry);
    const auto symbols = order_weights(*geometry, 0, std::vector<std::int16_t>(static_cast<std::size_t>(c), 1));
    REQUIRE(symbols);
    const auto stream = encode_weight_stream(*symbols);
    REQUIRE(stream);
    op.weights[0] = bench.add(*stream);
    return op;
  };
  bench.constants.reserve(4096);  // the cache knows constants by their place
  const BlockOperation a = layer(16), b = layer(32);
  WeightCache cache(1);
  const auto first = cache.get(a, *bench.accelerator, bench.map(), false);
  REQUIRE(first);
  CHECK(*cache.get(a, *bench.accelerator, bench.map(), false) == *first);
  const auto one = cache.bytes();
  CHECK(one > 0);
  REQUIRE(cache.get(b, *bench.accelerator, bench.map(), false));
  REQUIRE(cache.get(a, *bench.accelerator, bench.map(), false));
  CHECK(cache.bytes() == one);
  CHECK(*cache.get(a, *bench.accelerator, bench.map(), false) != *first);
}

TEST_CASE("a weight stream of the wrong length is a fault") {
  Bench bench("ethos-u55-128");
  BlockOperation op = operation(OpKind::kConv, feature_map(0, 1, 1, 8, 8), feature_map(64, 1, 1, 8, 8));
  op.scale_per_channel = true;
  std::vector<std::uint8_t> scales(80);
  op.scales[0] = bench.add(scales);
  const auto stream = encode_weight_stream(std::vector<std::int16_t>(8 * 32 - 1, 1));
  REQUIRE(stream);
  op.weights[0] = bench.add(*stream);
  const auto fewer = bench.run(op);
  REQUIRE_FALSE(fewer);
  CHECK(fewer.error().code == ErrorCode::kHardwareFault);
  const auto counted = check_weights(op, *bench.accelerator, bench.map());
  REQUIRE_FALSE(counted);
  CHECK(counted.error().message == fewer.error().message);
  op.weights[0].length = 0;
  CHECK_FALSE(bench.run(op));
  op.weights[0] = {0, bench.constants.size(), 16};
  CHECK_FALSE(bench.run(op));
}
