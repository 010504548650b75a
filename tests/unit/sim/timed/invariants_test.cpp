#include <macaw/npu/timed_simulator.hpp>

#include "tests/unit/sim/timed/bench.hpp"

#include <catch2/catch.hpp>

// Relations between the events of a run that hold for every network and memory.
using namespace macaw::npu;
using namespace macaw::npu::timed;

namespace {

/// Decoder bound, MAC bound, output bound and copies, on both sides.
void fill_with_bounds(Bench& bench) {
  bench.program.words = 40;
  auto conv = pointwise(9, 13, 72, 40, {4, 6, 16}, 3001);
  conv.scales[0] = {0, 8192, 400};
  conv.blockdep = 1;
  bench.dma({.src_region = 0, .dst_region = 1, .src = 16, .dst = 1 << 20, .len = 1000});
  bench.kernel(conv);
  bench.kernel(absolute(9, 13, 40, {3, 13, 40}, 1));
  auto narrow = pointwise(32, 32, 8, 64, {8, 16, 64}, 600);
  narrow.ifm.bits = narrow.ifm2.bits = 16;
  bench.kernel(narrow);
  bench.kernel(pointwise(1, 1, 256, 128, {1, 1, 128}, 30000));
}

/// Sums of events that are rounded to whole cycles one by one.
void check_sum(const BenchResult& result, const char* whole, std::initializer_list<const char*> parts) {
  CAPTURE(whole);
  std::uint64_t sum = 0;
  for (const char* part : parts) sum += result.count(part);
  CHECK(sum >= result.count(whole));
  CHECK(sum <= result.count(whole) + parts.size());
}

void check_invariants(const BenchResult& result, const Accelerator& accelerator) {
  const auto cycles = static_cast<std::uint64_t>(result.end);
  CHECK(result.count("NPU_ACTIVE") == cycles);
  CHECK(result.count("CYCLE") == cycles);
  check_sum(result, "MAC_ACTIVE", {"MAC_ACTIVE_8BIT", "MAC_ACTIVE_16BIT", "MAC_ACTIVE_32BIT"});
  check_sum(result, "AO_ACTIVE", {"AO_ACTIVE_8BIT", "AO_ACTIVE_16BIT"});
  check_sum(result, "MAC_STALLED_BY_WD_ACC", {"MAC_STALLED_BY_WD", "MAC_STALLED_BY_ACC"});
  check_sum(result, "AO_STALLED_BY_ACC_IB", {"AO_STALLED_BY_ACC", "AO_STALLED_BY_IB"});
  check_sum(result, "WD_STALLED", {"WD_STALLED_BY_WS", "WD_STALLED_BY_WD_BUF"});
  // A unit works, waits or has nothing to do.
  CHECK(result.count("MAC_ACTIVE") + result.count("MAC_STALLED_BY_WD_ACC") + result.count("MAC_STALLED_BY_IB") <=
        cycles + 2);
  CHECK(result.count("AO_ACTIVE") + result.count("AO_STALLED_BY_ACC_IB") + result.count("AO_STALLED_BY_OB") <=
        cycles + 2);
  CHECK(result.count("WD_ACTIVE") + result.count("WD_STALLED") <= cycles + 2);
  CHECK(result.count("CC_STALLED_ON_BLOCKDEP") <= cycles);
  for (const std::string axi : {"AXI0_", "AXI1_"}) {
    CAPTURE(axi);
    for (const std::string direction : {"RD_", "WR_"}) {
      CHECK(result.count(axi + direction + "TRAN_REQ_STALLED") <= cycles);
      CHECK(result.count(axi + direction + "STALL_LIMIT") <= cycles);
    }
    CHECK(result.count(axi + "RD_TRANS_ACCEPTED") == result.count(axi + "RD_TRANS_COMPLETED"));
    CHECK(result.count(axi + "WR_TRANS_ACCEPTED") == result.count(axi + "WR_TRANS_COMPLETED_M"));
    CHECK(result.count(axi + "WR_TRANS_ACCEPTED") == result.count(axi + "WR_TRANS_COMPLETED_S"));
    // Analytic lower bounds: a beat per cycle and direction.
    CHECK(result.count(axi + "RD_DATA_BEAT_RECEIVED") <= cycles);
    CHECK(result.count(axi + "WR_DATA_BEAT_WRITTEN") <= cycles);
  }
  CHECK(static_cast<int>(result.pmu.counts.size() + result.pmu.unmodelled.size()) == 74);
  for (const KernelRef& run : result.kernels) {
    CHECK(run->start.value_or(Ticks()) >= run->issued);
    CHECK(run->busy.mac <= run->end - run->issued);
    CHECK(run->busy.output_unit <= run->end - run->issued);
  }
  CHECK(accelerator.family != Family::kU85);
}

}  // namespace

TEST_CASE("events add up on every accelerator and memory") {
  const MemoryTiming timings[] = {{},
                                  {.read_latency = 500, .write_latency = 250},
                                  {.max_reads = 1, .max_writes = 1, .read_latency = 7},
                                  {.max_reads_writes = 3, .pulse_on = 40, .pulse_off = 60, .bandwidth_cap = 9},
                                  {.beats_per_cycle = 0.25, .least_bytes = 128}};
  for (const char* name :
       {"ethos-u55-32", "ethos-u55-64", "ethos-u55-128", "ethos-u55-256", "ethos-u65-256", "ethos-u65-512"}) {
    CAPTURE(name);
    for (std::size_t i = 0; i < std::size(timings); ++i) {
      CAPTURE(i);
      Bench bench(name);
      bench.memory = {timings[i], timings[i]};
      fill_with_bounds(bench);
      const auto result = bench.run();
      REQUIRE(result.stopped);
      check_invariants(result, bench.accelerator);
    }
  }
}

TEST_CASE("what else goes on at the same times moves no event") {
  for (const char* name : {"ethos-u55-128", "ethos-u65-512"}) {
    INFO(name);
    CHECK_FALSE(moved_by_bystanders(name, fill_with_bounds));
  }
}

TEST_CASE("a memory's own rate is shared by reads and writes") {
  auto run = [](const MemoryTiming& memory) {
    Bench bench;
    bench.memory[0] = memory;
    bench.dma({.src_region = 1, .dst_region = 1, .src = 0, .dst = 1 << 20, .len = 1024});
    return bench.run().end;
  };
  // 128 beats each way. The addresses of the reads come first: they have the memory until 64, 128 and 256.
  CHECK(run({.beats_per_cycle = 2}) == 64 + 128);
  CHECK(run({.beats_per_cycle = 1}) == 256);
  CHECK(run({.beats_per_cycle = 0.5}) == 512);
}

TEST_CASE("other masters take their share of a memory, and no byte") {
  auto run = [](double traffic, MemoryTiming memory, std::uint64_t beats) {
    Bench bench;
    memory.traffic = traffic;
    bench.memory[1] = memory;
    bench.dma({.src_region = 0, .dst_region = 1, .src = 0, .dst = 0, .len = beats * 8});
    return bench.run();
  };
  // One beat a cycle, half a one, and 5000 in a window of 10,000, so many that what its last transaction has above the
  // cap is little.
  for (const auto& [memory, beats, cycles] :
       {std::tuple<MemoryTiming, std::uint64_t, double>{{}, 8192, 8192},
        {{.beats_per_cycle = 0.5}, 8192, 16384},
        {{.pulse_on = 8000, .pulse_off = 2000, .bandwidth_cap = 5000}, 262144, 524288}}) {
    const auto alone = run(0, memory, beats);
    CHECK(static_cast<double>(alone.end) == Approx(cycles).epsilon(0.2));
    for (const double traffic : {0.1, 0.3, 0.5, 0.9}) {
      CAPTURE(traffic, memory.beats_per_cycle, memory.pulse_on);
      const auto shared = run(traffic, memory, beats);
      CHECK(static_cast<double>(shared.end) == Approx(static_cast<double>(alone.end) / (1 - traffic)).epsilon(0.06));
      CHECK(shared.count("AXI1_RD_DATA_BEAT_RECEIVED") == beats);
    }
  }
}

TEST_CASE("an access pays for the shortest burst unless it continues the one before it") {
  auto run = [](std::uint64_t address_step, std::uint32_t least) {
    Bench bench;
    bench.memory[1] = {.beats_per_cycle = 1, .least_bytes = least};
    bench.program.words = 0;
    for (std::uint64_t i = 0; i < 4; ++i)
      bench.dma({.src_region = 0, .dst_region = 1, .src = i * address_step, .dst = (1 << 20) + i * 64, .len = 64});
    return bench.run().end;
  };
  // Copies of 8 beats, one after the other; each read of 64 bytes holds the memory for 32 cycles.
  CHECK(run(4096, 64) == 4 * 16);
  CHECK(run(4096, 256) == 3 * 32 + 16);
  CHECK(run(64, 256) == 4 * 16);
}

TEST_CASE("an operation is bounded by what it spends most on") {
  Bench bench;
  bench.memory[1] = {.max_reads = 1, .read_latency = 100};
  bench.kernel(pointwise(1, 1, 128, 8, {1, 1, 8}, 256));
  bench.kernel(pointwise(32, 32, 32, 8, {16, 16, 8}, 64));
  const auto result = bench.run();
  CHECK(result.kernels[0]->busy.weight_read > result.kernels[0]->busy.mac);
  CHECK(result.kernels[1]->busy.mac > result.kernels[1]->busy.weight_read);
}
