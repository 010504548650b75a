#include "sim/timed/activity.hpp"
#include "sim/timed/bandwidth.hpp"
#include "sim/timed/u85/mac_units.hpp"
#include "sim/timed/u85/stream_buffer.hpp"
#include "tests/unit/sim/timed/actor.hpp"

#include <catch2/catch.hpp>

// Units of the model at their limits, and what they are counted as.
using namespace macaw::npu;
using namespace macaw::npu::timed;

TEST_CASE("the long-run rate of a memory is what its bus, pulses, cap and other masters leave") {
  const auto& u55 = *find_accelerator("ethos-u55-128");
  CHECK(bytes_per_cycle(u55, 1, {}, 1) == 8);
  CHECK(bytes_per_cycle(u55, 1, {.traffic = 0.25}, 1) == 6);
  CHECK(bytes_per_cycle(u55, 1, {.beats_per_cycle = 0.5, .traffic = 0.25}, 1) == 3);
  CHECK(bytes_per_cycle(u55, 1, {.pulse_on = 30, .pulse_off = 10}, 1) == 6);
  const auto& u85 = *find_accelerator("ethos-u85-256");
  const double beat = u85.beat_bytes, burst = u85.burst_bytes;
  // Each of two ports brings a cap of 20 beats, of which half is taken; the last transaction may go beyond.
  const MemoryTiming capped{.pulse_on = 100, .pulse_off = 100, .bandwidth_cap = 20};
  CHECK(bytes_per_cycle(u85, 2, capped, 1) == Approx((39 * beat + burst) / 200));
  CHECK(bytes_per_cycle(u85, 2, capped, 0.5) == Approx((19 * beat + burst) / 200));
  // A cap that is never reached changes nothing of what pulses and other masters leave.
  const auto wide = [](double traffic, std::uint32_t cap) {
    return MemoryTiming{.pulse_on = 50, .pulse_off = 150, .bandwidth_cap = cap, .traffic = traffic};
  };
  for (const double traffic : {0.0, 0.25, 0.5})
    for (const std::uint32_t cap : {0u, 1000u})
      CHECK(bytes_per_cycle(u85, 2, wide(traffic, cap), 1) == Approx(2 * beat / 4 * (1 - traffic)));
}

TEST_CASE("work counts by the width of its elements: products by the IFM's, results by the OFM's") {
  for (const int bits : {8, 16, 32}) {
    BlockOperation op;
    op.ifm.bits = bits;
    op.ofm.bits = 8;
    CHECK(mac_work(op) == (bits == 8 ? Cause::kMac8 : bits == 16 ? Cause::kMac16 : Cause::kMac32));
    CHECK(output_work(op) == Cause::kAo8);
    std::swap(op.ifm.bits, op.ofm.bits);
    CHECK(output_work(op) == (bits == 8 ? Cause::kAo8 : Cause::kAoWider));
  }
}

TEST_CASE("two of four sparse weights are in the stream, for bricks of 16 channels") {
  IfmBlock step;
  step.box = {0, 1, 0, 1, 0, 20};
  step.taps = 3;
  step.mac.weight_blocks = 2;
  BlockOperation op;
  op.kind = OpKind::kConv;
  op.ublock = {1, 2, 8};
  const u85::MacUnits dense(step, op);
  CHECK(dense.weights_until(dense.count()) == 2 * 3 * 8 * 32);
  op.sparse_weights = true;
  const u85::MacUnits sparse(step, op);
  CHECK(sparse.weights_until(sparse.count()) == 3 * 8 * 32);
}

TEST_CASE("the stream buffer is filled to its last word, and what never fits goes on alone") {
  for (const std::uint64_t second : {6U, 7U, 100U}) {
    Context context;
    const auto entered = context.enter();
    u85::StreamBuffer buffer("buffer", 16);
    Actor holder("holder", 0, [&] {
      buffer.claim(Beats(10));
      wait_until(ticks(100.0));
      buffer.release(Beats(10));
    });
    Actor asker("asker", 10, [&] { buffer.claim(Beats(second)); });
    REQUIRE(context.run(ticks(1e6)));
    INFO(second << " words beside 10 of 16");
    CHECK(asker.done == (second == 6 ? 10 : 100));
  }
}

TEST_CASE("twice as many spans as asked for are kept as they are, one more joins some") {
  Context context;
  const auto entered = context.enter();
  Activity activity;
  activity.record(4);
  std::vector<std::size_t> kept;
  Actor worker("worker", 0, [&] {
    for (int i = 0; i < 9; ++i) {
      activity.begin(1);
      wait_for(ticks(10.0));
      activity.end();
      kept.push_back(activity.spans().size());
      wait_for(ticks(3.0 + i));
    }
  });
  REQUIRE(context.run(ticks(1e6)));
  CHECK(kept[7] == 8);
  CHECK(kept[8] <= 4);
  Ticks busy;
  for (const auto& span : activity.spans()) busy += span.busy;
  CHECK(busy == ticks(90.0));
}

TEST_CASE("time of writing is the writer's") {
  Bench bench;
  bench.kernel(absolute(8, 8, 16, {8, 8, 16}));
  const auto result = bench.run();
  CHECK(result.kernels[0]->busy.ofm_write >= ticks(Cycles(8 * 8 * 16 / 8)));
}

TEST_CASE("a group of weight blocks waits for the whole beat that its share of the stream ends in") {
  // Five weight blocks, two of them in a group: two fifths of 20 beats are one burst, of 21 a beat of the next.
  const auto end = [](std::uint64_t bytes) {
    Bench bench;
    bench.config.params.weights_per_cycle = 0.05;
    bench.memory[1] = {.max_reads = 1, .read_latency = 100};
    bench.kernel(pointwise(1, 1, 32, 40, {1, 1, 40}, bytes));
    return bench.run().end;
  };
  CHECK(end(168) - end(160) == 108);
}
