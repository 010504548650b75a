#include "tests/unit/sim/timed/bench.hpp"

#include <catch2/catch.hpp>
#include <set>

using namespace macaw::npu;
using namespace macaw::npu::timed;

namespace {

/// Some of everything: convolution, elementwise, copies, a stream.
void fill_u55(Bench& bench) {
  bench.program = {};
  bench.program.words = 57;
  auto conv = pointwise(9, 13, 72, 40, {4, 6, 16}, 3001);
  conv.scales[0] = {0, 8192, 400};
  conv.blockdep = 2;
  bench.dma({.src_region = 0, .dst_region = 1, .src = 16, .dst = 1 << 20, .len = 1000});
  bench.dma_wait(0);
  bench.kernel(conv);
  auto pool = pointwise(9, 13, 40, 40, {3, 6, 16}, 0);
  pool.kind = OpKind::kPool;
  pool.pool = PoolMode::kAverage;
  pool.scale_per_channel = true;
  pool.scales[0] = {0, 16384, 400};
  bench.kernel(pool);
  bench.kernel(absolute(9, 13, 40, {3, 13, 40}, 1));
  bench.kernel(conv);
}

Traffic traffic(const BenchResult& result) { return traffic(result, "AXI0", "AXI1"); }

}  // namespace

TEST_CASE("beats are what the walk says, whatever the memory") {
  Bench bench;
  fill_u55(bench);
  const auto reference = traffic(bench.run());
  const unsigned beat = 8;
  std::uint64_t reads = (57 * 4 + 7) / 8 + 125, writes = 125;
  for (const Instruction& instruction : bench.program.instructions) {
    const auto* kernel = std::get_if<KernelRef>(&instruction.action);
    if (!kernel) continue;
    const auto totals = walk_totals((*kernel)->op, bench.accelerator);
    REQUIRE(totals);
    reads += totals->ifm_beats + totals->ifm2_beats + totals->weight_beats + totals->scale_beats;
    writes += totals->ofm_beats;
  }
  CHECK(beat == static_cast<unsigned>(bench.accelerator.beat_bytes));
  CHECK(reference.ports[0].read_beats + reference.ports[1].read_beats == reads);
  CHECK(reference.ports[0].write_beats + reference.ports[1].write_beats == writes);
  CHECK(reference.ports[1].write_beats == 0);

  const MemoryTiming timings[] = {{.read_latency = 500, .write_latency = 250},
                                  {.max_reads = 1, .max_writes = 1, .read_latency = 7},
                                  {.max_reads_writes = 3, .pulse_on = 40, .pulse_off = 60, .bandwidth_cap = 9}};
  std::set<std::int64_t> ends;
  for (const MemoryTiming& timing : timings) {
    Bench slow;
    slow.memory = {timing, timing};
    fill_u55(slow);
    const auto result = slow.run();
    REQUIRE(result.stopped);
    CHECK(traffic(result) == reference);
    ends.insert(result.end);
  }
  CHECK(ends.size() == std::size(timings));
}

TEST_CASE("a memory that counts for itself agrees with the performance monitor") {
  for (const double latency : {0, 3, 200}) {
    Bench bench;
    fill_u55(bench);
    const auto result = bench.run(latency);
    REQUIRE(result.stopped);
    for (int side = 0; side < 2; ++side) {
      const std::string axi = side ? "AXI1" : "AXI0";
      const auto seen = counted(result, axi);
      CHECK(seen == result.seen[static_cast<std::size_t>(side)]);
      CHECK(seen.read_beats > 0);
      CHECK(result.count(axi + "_RD_TRANS_COMPLETED") == seen.reads);
      CHECK(result.count(axi + "_WR_TRANS_COMPLETED_M") == seen.writes);
    }
  }
}

TEST_CASE("one process runs many simulations, all alike") {
  std::set<std::int64_t> ends;
  for (int i = 0; i < 20; ++i) {
    Bench bench;
    bench.memory[0].read_latency = 9;
    fill_u55(bench);
    ends.insert(bench.run().end);
  }
  CHECK(ends.size() == 1);
}

TEST_CASE("every event of the family is either counted or listed as not modelled") {
  Bench bench;
  fill_u55(bench);
  const auto pmu = bench.run().pmu;
  for (const std::string& name : pmu.unmodelled) CHECK(pmu.counts.count(name) == 0);
  CHECK(pmu.counts.size() + pmu.unmodelled.size() == 74);
  CHECK(pmu.counts.count("ETHOSU_PMU_AXI1_RD_DATA_BEAT_RECEIVED") == 1);
}
