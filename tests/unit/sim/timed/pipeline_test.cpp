#include "tests/unit/sim/timed/bench.hpp"

#include <catch2/catch.hpp>

using namespace macaw::npu;
using namespace macaw::npu::timed;

TEST_CASE("weight starvation: the MAC array waits for each weight block of a slow stream") {
  // 4 x 32 channels in, 8 out: four weight blocks of one burst each. One transaction in flight: 108 cycles a burst.
  Bench bench;
  bench.config.params.ao_block_start = 0;
  bench.config.params.ofm_write_beat = 1;
  bench.memory[1] = {.max_reads = 1, .read_latency = 100};
  bench.kernel(pointwise(1, 1, 128, 8, {1, 1, 8}, 256));
  const auto result = bench.run();
  CHECK(result.count("MAC_ACTIVE") == 4 * 4);
  CHECK(result.count("WD_ACTIVE") == 4 * 32);
  // Last burst, decoding, multiplying; eight elements of half a cycle; one beat out.
  CHECK(result.end == 4 * 108 + 32 + 4 + 4 + 1);
  // Stalled from the first IFM block (4 beats) to the first weight block, and between the blocks.
  CHECK(result.count("MAC_STALLED_BY_WD") == (4 * 108 + 32) - 3 * 4 - 4);
}

TEST_CASE("decoding and multiplying overlap: the slower one sets the pace") {
  Bench bench;
  bench.config.params.ifm_fill_beat = 1;
  bench.config.params.ao_block_start = 0;
  bench.config.params.ofm_write_beat = 1;
  bench.config.params.weights_per_cycle = 1e6;
  bench.kernel(pointwise(8, 16, 32, 64, {8, 16, 64}, 64));
  // 8 x 8 micro-blocks of 4 cycles, 8 in depth.
  const auto fast = bench.run();
  CHECK(fast.count("MAC_ACTIVE") == 8 * 4 * 64);
  CHECK(fast.count("MAC_STALLED_BY_WD") < 20);
  bench.program = {};
  bench.config.params.weights_per_cycle = 0.5;  // 512 cycles a weight block
  bench.kernel(pointwise(8, 16, 32, 64, {8, 16, 64}, 64));
  const auto slow = bench.run();
  CHECK(slow.count("MAC_ACTIVE") == 8 * 4 * 64);
  // Groups of two: seven of them are decoded while the one before is multiplied.
  CHECK(slow.end - fast.end >= 8 * 512 - 8 * 256);
  CHECK(slow.count("WD_ACTIVE") == 8 * 512);
}

TEST_CASE("two IFM slots load one block while the other is used, one slot takes turns") {
  // 8 steps of 32 channels: 4 beats of 16 cycles to load, one weight block of 64 cycles to decode.
  auto run = [](double slots) {
    Bench bench;
    bench.config.params.ifm_slots = slots;
    bench.config.params.ifm_fill_beat = 16;
    bench.config.params.weights_per_cycle = 1e6;
    bench.config.params.ao_block_start = 0;
    bench.config.params.ofm_write_beat = 1;
    bench.kernel(pointwise(1, 1, 256, 8, {1, 1, 8}, 64));
    const auto result = bench.run();
    REQUIRE(result.count("MAC_ACTIVE") == 8 * 4);
    return result.end;
  };
  // Loading paces both, but with one slot each load also waits for the 4 MAC cycles before it.
  CHECK(run(1) - run(2) == 7 * 4);
}

TEST_CASE("an IFM block that is kept for several OFM blocks holds its place until the last of them is multiplied") {
  Bench bench;
  bench.config.params.ifm_slots = 1;
  bench.config.params.weights_per_cycle = 1e6;
  bench.config.params.ao_default = 1e-3;
  bench.config.params.ao_block_start = 0;
  bench.config.params.ofm_write_beat = 1;
  auto op = pointwise(8, 16, 32, 64, {8, 16, 8}, 64);
  op.blockdep = 3;
  for (int i = 0; i < 2; ++i) bench.kernel(op);
  const auto result = bench.run();
  REQUIRE(result.count("MAC_ACTIVE") == 2 * 8 * 256);
  // 512 beats of each operation, loaded once for its 8 OFM blocks; with one place nothing of that overlaps.
  REQUIRE(result.count("AXI0_RD_DATA_BEAT_RECEIVED") == 2 * 512);
  CHECK(result.end >= 2 * (512 + 8 * 256));
}

TEST_CASE("two accumulator buffers let the MAC array work while the output unit empties one") {
  auto run = [](double accumulators) {
    Bench bench;
    bench.config.params.accumulators = accumulators;
    bench.config.params.weights_per_cycle = 1e6;
    bench.config.params.ao_default = 1;
    bench.config.params.ao_block_start = 0;
    bench.config.params.ofm_write_beat = 1;
    bench.kernel(pointwise(8, 8, 32, 8, {2, 8, 8}, 64));  // 4 blocks: MAC 8 micro-blocks = 32, output 128 cycles
    const auto result = bench.run();
    REQUIRE(result.count("MAC_ACTIVE") == 4 * 32);
    return result;
  };
  const auto two = run(2), one = run(1);
  CHECK(one.end - two.end == 3 * 32);
  CHECK(two.count("AO_ACTIVE") == 4 * 128);
  CHECK(one.count("MAC_STALLED_BY_ACC") == 3 * 128);
}

TEST_CASE("the output unit waits when writing is slower") {
  Bench bench;
  bench.config.params.ifm_fill_beat = 1;
  bench.config.params.ao_default = 0.125;
  bench.config.params.ao_block_start = 0;
  bench.config.params.ofm_write_beat = 4;
  bench.kernel(absolute(4, 16, 16, {1, 16, 16}));  // 4 blocks of 32 beats: 32 cycles to make, 128 to write
  const auto result = bench.run();
  CHECK(result.count("AO_ACTIVE") == 4 * 32);
  CHECK(result.count("AO_STALLED_BY_OB") > 0);
  CHECK(result.count("AXI0_WR_DATA_BEAT_WRITTEN") == 128);
  // The first of four slices takes 32 beats of reading and 8 cycles.
  CHECK(result.end == 32 + 8 + 128 * 4);
}

TEST_CASE("a copy into the lookup table waits for the operations before it, another one does not") {
  for (const char* accelerator : {"ethos-u55-128", "ethos-u65-256"}) {
    for (const bool into_table : {true, false}) {
      CAPTURE(accelerator, into_table);
      Bench bench(accelerator);
      bench.kernel(pointwise(8, 16, 32, 64, {8, 16, 64}, 64));
      bench.dma({.family = bench.accelerator.family,
                 .src_region = 0,
                 .dst_region = 1,
                 .dst_internal = into_table,
                 .src = 1 << 14,
                 .dst = into_table ? 0u : 1u << 20,
                 .len = 256});
      const auto result = bench.run();
      REQUIRE(result.stopped);
      CHECK((result.dmas[0]->start >= result.kernels[0]->end) == into_table);
    }
  }
}
