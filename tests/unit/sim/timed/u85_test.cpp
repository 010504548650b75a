#include "tests/unit/sim/timed/bench.hpp"

#include <catch2/catch.hpp>
#include <set>

// Ethos-U85: what memory can and cannot change, chains, and the ways that only it has.
namespace npu = macaw::npu;
using namespace macaw::npu;
using namespace macaw::npu::timed;

namespace {

FeatureMap bricks(int h, int w, int c, std::uint64_t base) {
  FeatureMap map = feature_map(h, w, c, base);
  map.layout = Layout::kNHCWB16;
  map.stride_x = 16;
  map.stride_c = std::int64_t{16} * w;
  map.stride_y = map.stride_c * ((c + 15) / 16);
  return map;
}

BlockOperation u85(BlockOperation op, Hwc ublock) {
  op.family = Family::kU85;
  op.ublock = ublock;
  return op;
}

BlockOperation convolution(int blockdep) {
  auto op = u85(pointwise(9, 13, 72, 40, {4, 6, 16}, 3001), {2, 2, 8});
  op.ifm = op.ifm2 = bricks(9, 13, 72, 0);
  op.kernel.height = op.kernel.width = 3;
  op.kernel.pad_top = op.kernel.pad_left = op.kernel.pad_bottom = op.kernel.pad_right = 1;
  op.scales[0] = {0, 8192, 400};
  op.blockdep = blockdep;
  return op;
}

BlockOperation addition(npu::Storage from, npu::Storage to) {
  auto op = u85(absolute(9, 13, 40, {4, 6, 16}), {2, 2, 8});
  op.elementwise = ElementwiseMode::kAdd;
  op.ifm.storage = from;
  op.ifm2 = feature_map(9, 13, 40, 1 << 17);
  op.ofm.storage = to;
  return op;
}

/// Every kind of operation, copies, a chain, a stream.
void fill_u85(Bench& bench) {
  bench.program = {};
  bench.program.words = 57;
  bench.dma({.family = Family::kU85, .src_region = 0, .dst_region = 1, .src = 16, .dst = 1 << 20, .len = 1000});
  bench.dma({.family = Family::kU85,
             .src_region = 0,
             .dst_region = 1,
             .dimensions = 2,
             .src = 0,
             .dst = 1 << 21,
             .len = 100,
             .size0 = 9,
             .src_stride0 = 256,
             .dst_stride0 = 100});
  bench.dma({.family = Family::kU85,
             .src_region = 1,
             .dst_region = 1,
             .idx_region = 0,
             .dimensions = 2,
             .src_indexed = true,
             .src = 0,
             .dst = 1 << 22,
             .len = 64,
             .idx = 4096,
             .size0 = 20,
             .src_stride0 = 64,
             .dst_stride0 = 64,
             .idx_max = 30});
  bench.dma_wait(0);
  bench.kernel(convolution(2));
  auto pool = u85(pointwise(9, 13, 40, 40, {3, 6, 16}, 0), {2, 2, 8});
  pool.kind = OpKind::kPool;
  pool.pool = PoolMode::kMax;
  bench.kernel(pool);
  auto depthwise = u85(pointwise(9, 13, 40, 40, {9, 13, 16}, 500), {2, 2, 8});
  depthwise.kind = OpKind::kDepthwise;
  depthwise.scales[0] = {0, 16384, 400};
  bench.kernel(depthwise);
  auto head = convolution(1);
  head.ofm.storage = npu::Storage::kChained;
  bench.kernel(head);
  bench.kernel(addition(npu::Storage::kChained, npu::Storage::kChained));
  bench.kernel(addition(npu::Storage::kChained, npu::Storage::kTile2x2));
  auto matmul = u85(pointwise(4, 8, 64, 32, {4, 8, 16}, 0), {2, 2, 8});
  matmul.weights_from_ifm2 = true;
  matmul.ifm2 = feature_map(1, 32, 64, 1 << 18);
  bench.kernel(matmul);
  auto resize = u85(absolute(12, 12, 16, {1, 12, 16}), {2, 2, 8});
  resize.kind = OpKind::kResize;
  resize.ifm = feature_map(6, 6, 16, 0);
  resize.resize_step = {.n_x = 2, .n_y = 2, .one_step_mod_x = 1, .one_step_mod_y = 1};
  bench.kernel(resize);
}

Traffic u85_traffic(const BenchResult& result) { return traffic(result, "SRAM", "EXT"); }

}  // namespace

TEST_CASE("U85: what else goes on at the same times moves no event") {
  for (const char* name : {"ethos-u85-256", "ethos-u85-1024"}) {
    INFO(name);
    CHECK_FALSE(moved_by_bystanders(name, fill_u85));
  }
}

TEST_CASE("U85: no memory changes beats, transactions or MAC cycles, and they are what the walk says") {
  for (const char* name : {"ethos-u85-128", "ethos-u85-512", "ethos-u85-2048"}) {
    INFO(name);
    Bench bench(name);
    fill_u85(bench);
    const auto first = bench.run();
    REQUIRE(first.stopped);
    const auto reference = u85_traffic(first);
    const auto beat = static_cast<unsigned>(bench.accelerator.beat_bytes);
    std::uint64_t reads = (57 * 4 + 15) / 16, writes = 0, mac = 0;
    for (const Instruction& instruction : bench.program.instructions) {
      if (const auto* dma = std::get_if<DmaRef>(&instruction.action)) {
        reads += (*dma)->traffic.reads.beats(beat) + (*dma)->traffic.indices.beats(beat);
        writes += (*dma)->traffic.writes.beats(beat);
      }
      const auto* kernel = std::get_if<KernelRef>(&instruction.action);
      if (!kernel) continue;
      const auto totals = walk_totals((*kernel)->op, bench.accelerator);
      REQUIRE(totals);
      reads += totals->ifm_beats + totals->ifm2_beats + totals->weight_beats + totals->scale_beats;
      writes += totals->ofm_beats;
      mac += totals->mac_active;
    }
    CHECK(reference.ports[0].read_beats + reference.ports[1].read_beats == reads);
    CHECK(reference.ports[0].write_beats + reference.ports[1].write_beats == writes);
    CHECK(reference.mac_active == mac);

    const MemoryTiming timings[] = {{.read_latency = 500, .write_latency = 250},
                                    {.max_reads = 1, .max_writes = 1, .read_latency = 7},
                                    {.max_reads_writes = 3, .pulse_on = 400, .pulse_off = 600, .bandwidth_cap = 90}};
    std::set<std::int64_t> ends{first.end};
    for (const MemoryTiming& timing : timings) {
      Bench slow(name);
      slow.memory = {timing, timing};
      fill_u85(slow);
      const auto result = slow.run();
      REQUIRE(result.stopped);
      CHECK(u85_traffic(result) == reference);
      CHECK(result.end > first.end);
      ends.insert(result.end);
    }
    CHECK(ends.size() == 1 + std::size(timings));
  }
}

TEST_CASE("U85: ports add up to their side, every transaction completes, no run beats its lower bound") {
  for (const char* name : {"ethos-u85-256", "ethos-u85-1024"}) {
    Bench bench(name);
    fill_u85(bench);
    const auto result = bench.run();
    REQUIRE(result.stopped);
    std::uint64_t bound = result.count("MAC_ACTIVE");
    for (const std::string side : {"SRAM", "EXT"}) {
      const int ports = side == "SRAM" ? bench.accelerator.ports0 : bench.accelerator.ports1;
      for (const std::string event :
           {"RD_TRANS_ACCEPTED", "RD_DATA_BEAT_RECEIVED", "WR_TRANS_ACCEPTED", "WR_DATA_BEAT_WRITTEN"}) {
        std::uint64_t sum = 0;
        for (int port = 0; port < ports; ++port) sum += result.count(side + std::to_string(port) + "_" + event);
        INFO(side << " " << event);
        CHECK(sum == result.count(side + "_" + event));
        if (event.find("BEAT") != std::string::npos) bound = std::max(bound, sum / static_cast<std::uint64_t>(ports));
      }
      CHECK(result.count(side + "_RD_TRANS_COMPLETED") == result.count(side + "_RD_TRANS_ACCEPTED"));
      CHECK(result.count(side + "_WR_TRANS_COMPLETED_M") == result.count(side + "_WR_TRANS_ACCEPTED"));
    }
    CHECK(static_cast<std::uint64_t>(result.end) >= bound);
    CHECK(result.count("AO_ACTIVE") <= static_cast<std::uint64_t>(result.end));
  }
}

TEST_CASE("U85: a memory that counts for itself agrees with the performance monitor") {
  for (const double latency : {0, 200}) {
    Bench bench("ethos-u85-1024");
    fill_u85(bench);
    const auto result = bench.run(latency);
    REQUIRE(result.stopped);
    for (int side = 0; side < 2; ++side) {
      CHECK(counted(result, side ? "EXT" : "SRAM") == result.seen[static_cast<std::size_t>(side)]);
    }
  }
}

TEST_CASE("U85: reading does not count waits for the units behind, whose pace leaves it as it is") {
  for (const auto& op : {convolution(0), addition(npu::Storage::kTile2x2, npu::Storage::kTile2x2)}) {
    const auto reading = [&](double pace) {
      Bench bench("ethos-u85-256");
      bench.config.params.ao_ofm8 = pace;
      bench.kernel(op);
      const auto result = bench.run();
      return std::pair(result.kernels[0]->busy.ifm_read, result.end);
    };
    const auto [usual, end] = reading(0.001);
    const auto [slow, later] = reading(100);
    CHECK(usual > Ticks());
    CHECK(slow <= usual);
    CHECK(later > 10 * end);
  }
}

TEST_CASE("U85: chained operations run block by block and hand nothing to memory") {
  auto run = [](bool chained) {
    Bench bench("ethos-u85-256");
    auto head = convolution(0);
    if (chained) head.ofm.storage = npu::Storage::kChained;
    bench.kernel(head);
    auto tail = addition(chained ? npu::Storage::kChained : npu::Storage::kTile2x2, npu::Storage::kTile2x2);
    if (!chained) tail.ifm = head.ofm;
    bench.kernel(tail);
    const auto result = bench.run();
    REQUIRE(result.stopped);
    return result;
  };
  const auto chained = run(true), apart = run(false);
  const std::uint64_t ofm = 9 * 13 * 3;  // beats: 40 channels in chunks of 16, aligned or not
  CHECK(chained.count("SRAM_WR_DATA_BEAT_WRITTEN") < apart.count("SRAM_WR_DATA_BEAT_WRITTEN"));
  CHECK(apart.count("SRAM_WR_DATA_BEAT_WRITTEN") == 2 * chained.count("SRAM_WR_DATA_BEAT_WRITTEN"));
  CHECK(chained.count("SRAM_WR_DATA_BEAT_WRITTEN") >= ofm);
  CHECK(chained.end < apart.end);
  // The tail's first block is done long before the head's last one.
  CHECK(chained.kernels[1]->start.value() < chained.kernels[0]->end);
  CHECK(chained.kernels[0]->finished == chained.kernels[0]->blocks);
}

TEST_CASE("U85: a taken branch fetches its target after it was parsed") {
  auto run = [](std::vector<Program::Segment> segments, std::uint64_t words, double latency) {
    Bench bench("ethos-u85-256");
    bench.memory[1].read_latency = static_cast<std::uint32_t>(latency);
    bench.program.words = words;
    bench.program.segments = std::move(segments);
    bench.program.instructions.push_back({0, 10, Pass{}});
    return bench.run();
  };
  const auto straight = run({{0, 32}}, 32, 100), jump = run({{0, 10}, {42, 64}}, 32, 100);
  REQUIRE(straight.stopped);
  REQUIRE(jump.stopped);
  CHECK(straight.count("EXT_RD_DATA_BEAT_RECEIVED") == 8);
  CHECK(jump.count("EXT_RD_DATA_BEAT_RECEIVED") == 3 + 6);  // words 0 to 9, 42 to 63
  CHECK(jump.end - straight.end >= 90);                     // one more round trip
}
