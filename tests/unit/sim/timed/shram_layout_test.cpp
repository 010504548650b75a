#include "sim/timed/u55_u65/shared_ram.hpp"
#include "tests/unit/sim/timed/actor.hpp"

#include <catch2/catch.hpp>

using namespace macaw::npu;
using namespace macaw::npu::timed;

namespace {

/// Two convolutions that share no data: MAC work of 32 cycles a block, output of 512 and nothing else but the latency
/// of constants.
BenchResult two_convolutions(int second_ab_start, std::uint32_t latency = 0, bool scales = false,
                             AccFormat second_format = AccFormat::kI32) {
  Bench bench;
  bench.memory[1].read_latency = latency;
  bench.config.params.weights_per_cycle = 1e6;
  bench.config.params.ao_default = 4;
  bench.config.params.ao_block_start = 0;
  for (const int ab_start : {8, second_ab_start}) {
    BlockOperation op = pointwise(2, 8, 32, 8, {2, 8, 8}, 64);
    op.blockdep = 3;
    op.ib_end = 8;
    op.ab_start = ab_start;
    if (!bench.program.instructions.empty()) op.acc_format = second_format;
    if (scales) op.scales[0] = {0, 64, 64};
    bench.kernel(op);
  }
  return bench.run();
}

}  // namespace

TEST_CASE("an operation with another SHRAM layout waits until the one before has left the RAM") {
  const auto same = two_convolutions(8), other = two_convolutions(12);
  CHECK(same.count("CC_STALLED_ON_SHRAM_RECONFIG") == 0);
  // The second one loads and multiplies while the output unit is at work for the first, or else after that.
  CHECK(same.kernels[1]->start < same.kernels[0]->computed);
  CHECK(other.kernels[1]->start == other.kernels[0]->computed);
  CHECK(other.count("CC_STALLED_ON_SHRAM_RECONFIG") > 512);
  CHECK(other.end > same.end);
  CHECK(other.count("MAC_ACTIVE") == same.count("MAC_ACTIVE"));
  // So does one whose accumulators are of another width in the same place.
  const auto wider = two_convolutions(8, 0, false, AccFormat::kI40);
  CHECK(wider.kernels[1]->start == wider.kernels[0]->computed);
}

TEST_CASE("an operation asks for its weights once the RAM is laid out for it, and for its scales before") {
  constexpr std::uint32_t kLatency = 100;
  const auto longer = [](int second_ab_start, bool scales) {
    const auto gap = [&](std::uint32_t latency) {
      const auto kernels = two_convolutions(second_ab_start, latency, scales).kernels;
      return whole_cycles(kernels[1]->computed - kernels[0]->computed).count();
    };
    // One latency is longer than the IFM block takes.
    return gap(2 * kLatency) - gap(kLatency);
  };
  for (const bool scales : {false, true}) {
    CHECK(longer(8, scales) == 0);
    CHECK(longer(12, scales) == kLatency);
  }
}

TEST_CASE("what the last block of a job holds is free once, also when the next job starts before that") {
  for (const bool given_up : {false, true}) {
    Context context;
    const auto entered = context.enter();
    u55_u65::SharedRam ram("ram", 1, 2);
    KernelRun first, second;
    first.op.ib_end = 8;
    second.op.ib_end = 16;
    Actor old_job("old_job", 0, [&] {
      ram.claim_accumulator();
      if (given_up) {
        ram.add_ifm_user(0);
        ram.give_up();
      }
      ram.restart();
      wait_until(ticks(10.0));
      if (!given_up) ram.release_accumulator();
    });
    Actor new_job("new_job", 20, [&] {
      ram.lay_out(first);
      ram.claim_accumulator();
      ram.lay_out(second);
    });
    Actor end("end", 50, [&] { ram.release_accumulator(); });
    REQUIRE(context.run(ticks(1e6)));
    CHECK(new_job.done == 50);
  }
}

TEST_CASE("two cores turn out whole micro-blocks, one core the channels that there are") {
  const auto output = [](const char* accelerator, int channels) {
    Bench bench(accelerator);
    bench.kernel(pointwise(4, 8, 32, channels, {4, 8, channels}, 64));
    return bench.run().count("AO_ACTIVE");
  };
  CHECK(output("ethos-u65-512", 4) == output("ethos-u65-512", 16));
  CHECK(output("ethos-u65-512", 20) == output("ethos-u65-512", 32));
  CHECK(4 * output("ethos-u65-256", 4) == output("ethos-u65-256", 16));
}
