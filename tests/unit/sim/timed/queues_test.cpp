#include "tests/unit/sim/timed/bench.hpp"

#include <catch2/catch.hpp>

using namespace macaw::npu;
using namespace macaw::npu::timed;

namespace {

/// Four blocks of 1x4x8; each takes the output unit 4*8*1 + 50 cycles, and everything else is faster.
Bench four_blocks() {
  Bench bench;
  bench.config.params.ao_default = 1;
  bench.config.params.ao_block_start = 50;
  bench.config.params.ofm_write_beat = 1;
  bench.config.params.ifm_slots = 8;  // so that the buffer holds nothing up
  return bench;
}
constexpr Ticks kBlock = 82 * kCycle;

BlockOperation blocks(int blockdep) { return absolute(1, 16, 8, {1, 4, 8}, blockdep); }

}  // namespace

TEST_CASE("BLOCKDEP b lets block i start when b-1-i blocks of the previous operation are unfinished") {
  for (const int blockdep : {0, 1, 2, 3}) {
    Bench bench = four_blocks();
    bench.kernel(blocks(0));
    bench.kernel(blocks(blockdep));
    const auto result = bench.run();
    REQUIRE(result.stopped);
    const auto& first = *result.kernels[0];
    const auto ahead = static_cast<std::uint64_t>(std::max(blockdep - 1, 0));
    INFO("BLOCKDEP " << blockdep);
    CHECK(*result.kernels[1]->start == first.end - ahead * kBlock);
  }
}

TEST_CASE("waiting for BLOCKDEP is counted") {
  Bench bench = four_blocks();
  bench.kernel(blocks(0));
  CHECK(bench.run().count("CC_STALLED_ON_BLOCKDEP") == 0);
  Bench two = four_blocks();
  two.kernel(blocks(0));
  two.kernel(blocks(0));
  const auto result = two.run();
  CHECK(result.count("CC_STALLED_ON_BLOCKDEP") > 0);
  CHECK(result.count("CC_STALLED_ON_BLOCKDEP") < static_cast<std::uint64_t>(cycles(result.kernels[0]->end)));
}

TEST_CASE("two block operations are outstanding, the third waits for the first") {
  Bench bench = four_blocks();
  for (int i = 0; i < 4; ++i) bench.kernel(blocks(3));
  const auto result = bench.run();
  CHECK(result.kernels[1]->issued == Ticks());
  CHECK(result.kernels[2]->issued == result.kernels[0]->end);
  CHECK(result.kernels[3]->issued == result.kernels[1]->end);
}

TEST_CASE("KERNEL_WAIT n holds what follows until n block operations are outstanding") {
  for (const std::uint64_t outstanding : {0, 1}) {
    Bench bench = four_blocks();
    bench.kernel(blocks(0));
    bench.kernel(blocks(0));
    bench.kernel_wait(outstanding);
    bench.dma({.src_region = 0, .dst_region = 1, .src = 0, .dst = 4096, .len = 64});
    const auto result = bench.run();
    CHECK(result.dmas[0]->issued == result.kernels[outstanding == 0 ? 1 : 0]->end);
  }
}

TEST_CASE("DMA_WAIT holds what follows, without it a copy runs beside a block operation") {
  const DmaOperation copy{.src_region = 0, .dst_region = 1, .src = 0, .dst = 1 << 20, .len = 1024};
  Bench waiting = four_blocks();
  waiting.dma(copy);
  waiting.dma_wait(0);
  waiting.kernel(blocks(0));
  const auto waited = waiting.run();
  CHECK(waited.kernels[0]->issued == waited.dmas[0]->end);

  Bench beside = four_blocks();
  beside.dma(copy);
  beside.kernel(blocks(0));
  CHECK(beside.run().kernels[0]->issued == Ticks());
}

TEST_CASE("a copy takes one beat per cycle, reading and writing at the same time") {
  Bench bench;
  bench.dma({.src_region = 0, .dst_region = 1, .src = 0, .dst = 1 << 20, .len = 1024});
  // 128 beats; the first part of 32 beats arrives before the first write, the last is written after it arrived.
  CHECK(bench.run().end == 128 + 32);
}

TEST_CASE("as many DMA jobs are outstanding as the accelerator allows") {
  const DmaOperation copy{.src_region = 0, .dst_region = 1, .src = 0, .dst = 1 << 20, .len = 1024};
  for (const auto& [name, outstanding] : {std::pair("ethos-u55-128", 1u), std::pair("ethos-u65-256", 2u)}) {
    Bench bench(name);
    for (int i = 0; i < 3; ++i) bench.dma(copy);
    const auto result = bench.run();
    CHECK(result.dmas[outstanding]->issued == result.dmas[0]->end);
    if (outstanding == 2) CHECK(result.dmas[1]->issued == Ticks());
  }
}

TEST_CASE("a copy is complete with its last response, and the stop waits for it") {
  const DmaOperation copy{.src_region = 0, .dst_region = 1, .src = 0, .dst = 1 << 20, .len = 1024};
  Bench bench;
  bench.memory[0].write_latency = 300;
  bench.dma(copy);
  const auto result = bench.run();
  CHECK(cycles(result.dmas[0]->end) == 128 + 32 + 300);
  CHECK(result.end == 128 + 32 + 300);
}

TEST_CASE("copies follow each other, on U85 a copy is read while the one before is written") {
  for (const char* name : {"ethos-u55-128", "ethos-u65-256", "ethos-u85-256"}) {
    Bench bench(name);
    const Family family = bench.accelerator.family;
    bench.memory[0].write_latency = 300;
    for (int i = 0; i < 2; ++i)
      bench.dma({.family = family,
                 .src_region = 0,
                 .dst_region = 1,
                 .src = 0,
                 .dst = 1 << 20,
                 .len = 1024,
                 .size0 = 1,
                 .size1 = 1});
    const auto result = bench.run();
    INFO(name);
    if (family == Family::kU85) CHECK(result.dmas[1]->start < result.dmas[0]->end);
    else CHECK(result.dmas[1]->start == result.dmas[0]->end);
    CHECK(result.dmas[1]->end > result.dmas[0]->end);
  }
}

TEST_CASE("a U85 copy writes a part of 16 beats while the next is read, and reads no further than its buffer goes") {
  const DmaOperation copy{
      .family = Family::kU85, .src_region = 0, .dst_region = 1, .src = 0, .dst = 1 << 20, .len = 64 * 16};
  Bench bench("ethos-u85-256");
  REQUIRE(bench.accelerator.beat_bytes == 16);
  // From and to the side with one port: on the other two bursts go side by side.
  auto within = copy;
  within.dst_region = within.src_region;
  bench.dma(within);
  CHECK(cycles(bench.run().dmas[0]->end) == 64 + 16);
  // The second copy is read when the first has been: at once where the buffer takes all of that, and later where half
  // of it has to be written first, by a memory that takes a transaction in 200 cycles.
  const auto second_start = [&](double words) {
    Bench two("ethos-u85-256");
    two.config.params.read_buffer_mem2mem = words;
    two.memory[0] = {.pulse_on = 1, .pulse_off = 199};
    two.dma(copy);
    two.dma(copy);
    return cycles(two.run().dmas[1]->start);
  };
  CHECK(second_start(1000) <= 64);
  CHECK(second_start(32) > 200);
}

TEST_CASE("a U85 copy does not overtake the start of the operation before it, a U55 copy does") {
  for (const char* name : {"ethos-u55-128", "ethos-u85-256"}) {
    Bench bench(name);
    bench.config.params.ao_default = 1;
    bench.config.params.ao_block_start = 50;
    bench.config.params.kernels_in_flight = 2;
    for (int i = 0; i < 2; ++i) {
      auto op = blocks(0);
      op.family = bench.accelerator.family;
      if (op.family == Family::kU85) op.ublock = {1, 4, 8};
      bench.kernel(op);
    }
    bench.dma({.family = bench.accelerator.family, .src_region = 0, .dst_region = 1, .dst = 1 << 20, .len = 64});
    const auto result = bench.run();
    INFO(name);
    REQUIRE(*result.kernels[1]->start > Ticks());
    CHECK(result.dmas[0]->issued == (bench.accelerator.family == Family::kU85 ? *result.kernels[1]->start : Ticks()));
  }
}

TEST_CASE("the front end takes a cycle per word and waits for the stream") {
  Bench bench;
  bench.program.words = 40;
  bench.program.instructions.push_back({0, 40, KernelWait{0}});
  // 64-byte bursts arrive at 8, 16 and 20; each is parsed in a cycle per word, one after the other.
  CHECK(bench.run().end == 8 + 40);
  bench.memory[1].read_latency = 100;
  bench.config.params.command_bursts_ahead = 4;
  CHECK(bench.run().end == 100 + 8 + 40);
  CHECK(bench.run().count("AXI1_RD_DATA_BEAT_RECEIVED") == 20);
}
