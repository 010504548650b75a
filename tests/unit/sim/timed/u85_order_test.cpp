#include <macaw/npu/timed_simulator.hpp>

#include "tests/unit/sim/timed/bench.hpp"

#include <catch2/catch.hpp>

// Ethos-U85: what waits for what at the borders of operations and blocks (docs/hardware/timing.md, chapter 8).
using namespace macaw::npu;
using namespace macaw::npu::timed;

namespace {

BlockOperation scaled_convolution(std::uint64_t scale_bytes) {
  auto op = pointwise(9, 13, 72, 40, {4, 6, 16}, 3001);
  op.family = Family::kU85;
  op.ublock = {2, 2, 8};
  if (scale_bytes) op.scales[0] = {0, 8192, scale_bytes};
  return op;
}

/// A 3x3 kernel over a map of one OFM block.
BlockOperation windowed(OpKind kind, int h, int w, int c) {
  auto op = pointwise(h, w, c, c, {h, w, c}, 64);
  op.family = Family::kU85;
  op.kind = kind;
  op.kernel.height = op.kernel.width = 3;
  op.kernel.pad_top = op.kernel.pad_left = op.kernel.pad_bottom = op.kernel.pad_right = 1;
  op.ublock = {1, 2, kind == OpKind::kDepthwise ? 16 : 8};
  return op;
}

}  // namespace

TEST_CASE("U85: a copy into the lookup table waits for the operations before it, another one does not") {
  for (const bool into_table : {true, false}) {
    Bench bench("ethos-u85-256");
    bench.kernel(scaled_convolution(400));
    bench.dma({.family = Family::kU85,
               .src_region = 0,
               .dst_region = 1,
               .dst_internal = into_table,
               .src = 1 << 16,
               .dst = into_table ? 0u : 1u << 20,
               .len = 256});
    const auto result = bench.run();
    REQUIRE(result.stopped);
    CHECK((result.dmas[0]->start >= result.kernels[0]->end) == into_table);
  }
}

TEST_CASE("U85: a copy into the lookup table does not wait for the responses to what was written before it") {
  Bench bench("ethos-u85-256");
  for (auto& memory : bench.memory) memory.write_latency = 3000;
  bench.kernel(scaled_convolution(400));
  bench.dma(
      {.family = Family::kU85, .src_region = 0, .dst_region = 1, .dst_internal = true, .src = 1 << 16, .len = 256});
  const auto result = bench.run();
  REQUIRE(result.stopped);
  CHECK(result.dmas[0]->start + ticks(macaw::Cycles(3000)) == result.kernels[0]->end);
}

TEST_CASE("U85: operations of a chain are one for what waits for them, and end with the last") {
  for (const int length : {1, 2, 3, 4}) {
    Bench bench("ethos-u85-256");
    for (int i = 0; i < length; ++i) {
      auto op = pointwise(8, 8, 16, 16, {8, 8, 16}, 64);
      op.family = Family::kU85;
      op.ublock = {2, 2, 8};
      op.kind = OpKind::kElementwise;
      op.elementwise = ElementwiseMode::kAbs;
      op.weights = {};
      if (i > 0) op.ifm.storage = macaw::npu::Storage::kChained;
      if (i + 1 < length) op.ofm.storage = macaw::npu::Storage::kChained;
      bench.kernel(op);
    }
    bench.dma(
        {.family = Family::kU85, .src_region = 0, .dst_region = 1, .dst_internal = true, .src = 1 << 16, .len = 256});
    bench.kernel(scaled_convolution(0));
    const auto result = bench.run();
    INFO(length << " operations");
    REQUIRE(result.stopped);
    CHECK(result.dmas[0]->start >= result.kernels[static_cast<std::size_t>(length) - 1]->end);
    CHECK(result.kernels.back()->is_finished());
  }
}

TEST_CASE("U85: a copy of any length ends, and takes as long as its beats") {
  const auto end = [](std::uint64_t bytes) {
    Bench bench("ethos-u85-256");
    bench.dma({.family = Family::kU85, .src_region = 0, .dst_region = 1, .src = 1 << 16, .dst = 1 << 22, .len = bytes});
    const auto result = bench.run();
    REQUIRE(result.stopped);
    return static_cast<double>(result.end);
  };
  const double one = end(1 << 16), two = end(1 << 17), sixteen = end(1 << 20);
  CHECK(sixteen - one == Approx(15 * (two - one)).epsilon(0.01));
}

TEST_CASE("U85: weights are asked for when the scales have filled their buffer") {
  const auto end = [](std::uint64_t scale_bytes) {
    Bench bench("ethos-u85-256");
    bench.memory[1].read_latency = 1000;
    bench.kernel(scaled_convolution(scale_bytes));
    const auto result = bench.run();
    REQUIRE(result.stopped);
    return result.end;
  };
  // A round trip for up to 256 bytes of scales, however few they are.
  CHECK(end(400) - end(0) >= 1000);
  CHECK(end(160) - end(0) >= 1000);
  CHECK(end(160) - end(0) < 1500);
}

TEST_CASE("U85: scales are asked for one OFM block ahead, whatever room their buffer has") {
  const auto end = [](std::uint64_t scale_bytes) {
    Bench bench("ethos-u85-256");
    bench.config.params.read_buffer_scales = 1000;
    bench.memory[1].read_latency = 1000;
    auto op = pointwise(1, 1, 64, 512, {1, 1, 16}, 64);
    op.family = Family::kU85;
    op.ublock = {2, 2, 8};
    if (scale_bytes) op.scales[0] = {0, 8192, scale_bytes};
    bench.kernel(op);
    const auto result = bench.run();
    REQUIRE(result.stopped);
    return result.end;
  };
  // A third of 32 round trips and less; all at once they take one.
  CHECK(end(5120) - end(0) > 6 * 1000);
}

TEST_CASE("U85: an output unit that is quicker than the MAC array has one row left when that is done") {
  const auto computed = [](double cycles_per_element) {
    Bench bench("ethos-u85-256");
    bench.config.params.ao_ofm8 = cycles_per_element;
    auto op = pointwise(16, 16, 64, 16, {16, 16, 16}, 64);
    op.family = Family::kU85;
    op.ublock = {2, 2, 8};
    bench.kernel(op);
    const auto result = bench.run();
    REQUIRE(result.kernels[0]->blocks == 1);
    return result.kernels[0]->computed;
  };
  // A row of micro-blocks has 2 x 16 positions and 16 channels.
  CHECK(computed(0.125) - computed(0.0625) == ticks(0.0625 * 2 * 16 * 16));
  CHECK(computed(1) > computed(0.125) + 1000 * kCycle);
}

TEST_CASE("U85: an OFM block is handed over row by row, each with a brick of channels") {
  // The MAC array works as long for both shapes of 32 positions. Their IFM is there before the weights are.
  const auto tail = [](OpKind kind, int h, int w) {
    Bench bench("ethos-u85-256");
    bench.config.params.ao_ofm8 = 0.125;
    bench.memory[1].read_latency = 1000;
    bench.kernel(windowed(kind, h, w, 48));
    const auto result = bench.run();
    REQUIRE(result.kernels[0]->blocks == 1);
    return result.kernels[0]->computed;
  };
  // 14 positions more in the last row.
  for (const OpKind kind : {OpKind::kDepthwise, OpKind::kConv})
    CHECK(tail(kind, 2, 16) - tail(kind, 16, 2) == ticks(0.125 * 14 * 16));
}

TEST_CASE("U85: a depthwise operation starts on the first rows of its IFM block, a convolution on all of it") {
  // 16 rows of a burst, one at a time.
  const auto run = [](OpKind kind, int latency) {
    Bench bench("ethos-u85-256");
    bench.memory[0].read_latency = static_cast<std::uint32_t>(latency);
    bench.memory[0].max_reads = 1;
    bench.kernel(windowed(kind, 16, 16, 16));
    const auto result = bench.run();
    REQUIRE(result.kernels[0]->blocks == 1);
    return std::pair(static_cast<std::int64_t>(whole_cycles(result.kernels[0]->computed).count()),
                     static_cast<std::int64_t>(result.count("MAC_ACTIVE")));
  };
  // When the last row is read, the last two of the OFM are missing: an eighth.
  const auto after_reading = [&](OpKind kind) { return run(kind, 2000).first - 16 * (2000 + 16); };
  const std::int64_t depthwise = run(OpKind::kDepthwise, 0).second, convolution = run(OpKind::kConv, 0).second;
  CHECK(after_reading(OpKind::kDepthwise) < depthwise / 2);
  CHECK(after_reading(OpKind::kDepthwise) > depthwise / 8);
  CHECK(after_reading(OpKind::kConv) > convolution);
}

TEST_CASE("U85: the IFM of a depthwise operation is asked for when its first scales are there") {
  const auto end = [](OpKind kind, bool scaled) {
    Bench bench("ethos-u85-256");
    bench.memory[0].read_latency = 3000;
    bench.memory[1].read_latency = 1000;
    auto op = windowed(kind, 4, 4, 16);
    if (scaled) op.scales[0] = {0, 8192, 160};
    bench.kernel(op);
    return bench.run().end;
  };
  CHECK(end(OpKind::kDepthwise, true) - end(OpKind::kDepthwise, false) >= 1000);
  CHECK(end(OpKind::kConv, true) - end(OpKind::kConv, false) < 100);
}

TEST_CASE("U85: bursts of weights come between the transactions of an IFM block") {
  // 8 pixels apart, each a transaction, one after the other; weights are asked for when the scales are there.
  const auto waits_for_ifm = [](int weights) {
    Bench bench("ethos-u85-256");
    bench.memory[0].read_latency = 50;
    bench.memory[0].max_reads = 1;
    bench.memory[1].read_latency = 20;
    auto op = windowed(OpKind::kConv, 2, 4, 16);
    op.ifm.stride_x = 32;
    op.ifm.stride_y = 4 * 32;
    op.scales[0] = {0, 8192, 160};
    op.weights[0] = {weights, 1 << 20, 2048};
    bench.kernel(op);
    return bench.run().count("MAC_STALLED_BY_IB");
  };
  CHECK(waits_for_ifm(1) > waits_for_ifm(0) + 4 * 50);
}

TEST_CASE("U85: channels that do not fill the lanes of the output unit take as long as if they did") {
  // Slower than the MAC array, so that each element shows.
  const auto computed = [](int channels, double cycles_per_element) {
    Bench bench("ethos-u85-256");
    REQUIRE(bench.config.params.ao_lanes == 4);
    bench.config.params.ao_ofm8 = cycles_per_element;
    auto op = pointwise(16, 16, 64, channels, {16, 16, 16}, 64);
    op.family = Family::kU85;
    op.ublock = {2, 2, 8};
    bench.kernel(op);
    return bench.run().kernels[0]->computed;
  };
  for (const int channels : {12, 13, 16})
    CHECK(computed(channels, 5) - computed(channels, 4) == ticks(16 * 16 * (channels == 12 ? 12 : 16)));
}

TEST_CASE("U85: of the rows between the first and the last only whole slices are written before the next") {
  // How long writing goes on after the last of three rows of micro-blocks, each of 2 x `width` x 16 bytes.
  const auto written_last = [](int width) {
    Bench bench("ethos-u85-256");
    bench.config.params.ao_ofm8 = 4;
    auto op = pointwise(6, width, 64, 16, {6, width, 16}, 64);
    op.family = Family::kU85;
    op.ublock = {2, 2, 8};
    bench.kernel(op);
    const auto result = bench.run(0);
    return result.kernels[0]->end - result.kernels[0]->computed;
  };
  // Rows of 20 beats leave less for the last slice than rows of 24; without the first row by itself it is the other
  // way.
  CHECK(written_last(12) > written_last(10));
}

TEST_CASE("U85: a brick is turned out when its own scales are there") {
  const auto computed = [](std::uint64_t scale_bytes) {
    Bench bench("ethos-u85-256");
    bench.memory[1].read_latency = 1000;
    auto op = pointwise(1, 1, 64, 512, {1, 1, 512}, 64);
    op.family = Family::kU85;
    op.ublock = {2, 2, 8};
    op.scales[0] = {0, 8192, scale_bytes};
    bench.kernel(op);
    return bench.run().kernels[0]->computed;
  };
  // 20 round trips of what the buffer takes, less those that overlap.
  CHECK(computed(5120) - computed(256) > ticks(10 * 1000));
}

TEST_CASE("U85: the output unit takes a while to start each OFM block") {
  const auto run = [](double block_start) {
    Bench bench("ethos-u85-256");
    bench.config.params.ao_block_start = block_start;
    bench.kernel(scaled_convolution(0));
    return bench.run();
  };
  const auto quick = run(0), slow = run(1000);
  CHECK(slow.end > quick.end);
  CHECK(slow.end >= 1000 * static_cast<std::int64_t>(slow.kernels[0]->blocks));
  CHECK(slow.count("AO_ACTIVE") == quick.count("AO_ACTIVE"));
}

TEST_CASE("U85: the MAC array pauses before each pass over the columns of a block") {
  const auto run = [](double pause) {
    Bench bench("ethos-u85-256");
    bench.config.params.mac_pass = pause;
    bench.kernel(scaled_convolution(0));
    return bench.run();
  };
  const auto quick = run(0), slow = run(10000);
  REQUIRE(slow.stopped);
  // 3 * 3 * 3 blocks, 72 channels of the IFM in depth blocks of 64, one tap.
  constexpr double kPasses = 27 * 2;
  CHECK(static_cast<double>(slow.end - quick.end) / 10000 == Approx(kPasses).epsilon(0.02));
  CHECK(slow.count("MAC_ACTIVE") == quick.count("MAC_ACTIVE"));
}

TEST_CASE("U85-512: as much of the fast weight format is under way as of the standard one") {
  const auto end = [](bool fast, std::uint64_t bytes) {
    Bench bench("ethos-u85-512");
    bench.memory[1].read_latency = 10000;
    auto op = pointwise(1, 1, 64, 16, {1, 1, 16}, bytes);
    op.family = Family::kU85;
    op.ublock = {2, 2, 16};
    op.fast_weights = fast;
    bench.kernel(op);
    const auto result = bench.run();
    REQUIRE(result.stopped);
    return result.end;
  };
  // 32 bursts more: two round trips of 16 bursts.
  CHECK((end(true, 64 * 256) - end(true, 32 * 256)) / 10000 == 2);
  CHECK((end(false, 64 * 256) - end(false, 32 * 256)) / 10000 == 2);
}

TEST_CASE("U85: fewer IFM slots than the walk keeps take longer and end") {
  auto op = scaled_convolution(400);
  op.kernel.height = op.kernel.width = 3;
  op.kernel.pad_top = op.kernel.pad_left = op.kernel.pad_bottom = op.kernel.pad_right = 1;
  const auto run = [&](double slots) {
    Bench bench("ethos-u85-256");
    bench.config.params.ifm_slots = slots;
    bench.kernel(op);
    bench.kernel(op);
    return bench.run();
  };
  const auto four = run(4);
  REQUIRE(four.stopped);
  for (const double slots : {1, 2, 3}) {
    const auto fewer = run(slots);
    CHECK(fewer.stopped);
    CHECK(fewer.count("SRAM_RD_DATA_BEAT_RECEIVED") == four.count("SRAM_RD_DATA_BEAT_RECEIVED"));
    CHECK(fewer.end >= four.end);
  }
}

TEST_CASE("a constant with which the model cannot go on is named") {
  const auto artifact = load_artifact("traces/tiny_cnn/ethos-u85-256/tiny_cnn.npz");
  REQUIRE(artifact);
  const auto run = run_timed(*artifact, *artifact->accelerator, {}, {.params = {{"short_burst", 1}}, .values = false});
  REQUIRE_FALSE(run);
  CHECK(run.error().code == macaw::ErrorCode::kUsage);
  CHECK(run.error().message.find("short_burst=1") != std::string::npos);
}
