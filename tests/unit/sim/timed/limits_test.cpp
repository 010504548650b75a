#include "sim/timed/activity.hpp"
#include "sim/timed/device/device_simulation.hpp"
#include "sim/timed/fifo.hpp"
#include "sim/timed/memory.hpp"
#include "sim/timed/transaction_size.hpp"
#include "tests/support/temporary_folder.hpp"
#include "tests/unit/sim/timed/actor.hpp"
#include "tests/unit/sim/timed/flat_memory.hpp"

#include <catch2/catch.hpp>

#include <filesystem>
#include <fstream>
#include <tuple>

// State, counts and messages of a unit at the end of a segment, a slice, a queue or a limit.
using namespace macaw::npu;
using namespace macaw::npu::timed;

TEST_CASE("an item and its place change hands with the next delta cycle") {
  Context context;
  const auto entered = context.enter();
  Fifo<int> queue("queue", 2);
  Actor actor("actor", 0, [&] {
    int item = 0;
    CHECK(queue.nb_write(1));
    CHECK(queue.num_available() == 0);
    CHECK(queue.num_free() == 1);
    CHECK_FALSE(queue.nb_read(item));
    sc_core::wait(sc_core::SC_ZERO_TIME);
    CHECK(queue.nb_write(2));
    CHECK_FALSE(queue.nb_write(3));
    CHECK(queue.nb_read(item));
    CHECK(item == 1);
    // Its place is not free before the next one.
    CHECK(queue.num_free() == 0);
    CHECK_FALSE(queue.nb_write(3));
    sc_core::wait(sc_core::SC_ZERO_TIME);
    CHECK(queue.num_free() == 1);
    CHECK(queue.num_available() == 1);
    CHECK(queue.nb_write(3));
    queue.clear();
    CHECK(queue.num_available() == 0);
  });
  REQUIRE(context.run(ticks(1e3)));
  CHECK(actor.done);
}

TEST_CASE("a region's limits are those of its REGIONCFG code, the stream's those of QCONFIG") {
  const Bench bench;
  const CoreConfig config{bench.accelerator, bench.config.params, {"", 3, {2, 0, 1, 3, 0, 1, 2, 1}}};
  constexpr std::array<std::size_t, 9> kCodes = {3, 2, 0, 1, 3, 0, 1, 2, 1};
  for (int region = -1; region < 8; ++region) {
    CAPTURE(region);
    CHECK(config.limit_of(region) == kCodes[static_cast<std::size_t>(region + 1)]);
  }
  for (const auto& [value, counted] :
       {std::pair(-1.0, 1), {0.0, 1}, {1.0, 1}, {1.9, 1}, {2.0, 2}, {4096.0, 4096}, {1e9, 4096}})
    CHECK(CoreConfig::count(value) == counted);
}

TEST_CASE("interrupts that were not taken add up") {
  Bench bench;
  const Program program{std::make_shared<Listed>(
                            std::vector<Instruction>{{0, 0, Interrupt{0x1}}, {1, 0, Interrupt{0x4}}, {2, 0, Stop{}}}),
                        0,
                        {}};
  Context context;
  const auto entered = context.enter();
  Top top("top", bench.config, bench.memory, program);
  REQUIRE(context.run(ticks(1e6)));
  CHECK(top.core.command_processor.take_interrupts() == 0x5);
  CHECK(top.core.command_processor.take_interrupts() == 0);
}

TEST_CASE("the front end stands behind the last word of a segment until it has read one of the next") {
  Bench bench;
  std::vector<Instruction> list;
  for (std::uint64_t word = 1; word <= 6; ++word) list.push_back({word, word, Pass{}});
  list.push_back({7, 6, Stop{}});
  const Program program{std::make_shared<Listed>(std::move(list)), 6, {{0, 3}, {8, 10}, {1, 2}}};
  Context context;
  const auto entered = context.enter();
  Top top("top", bench.config, bench.memory, program);
  std::vector<std::uint32_t> places;
  Actor watcher("watcher", 0, [&] {
    for (int i = 0; i < 200; ++i) {
      const std::uint32_t place = top.core.command_processor.read_position();
      if (places.empty() || places.back() != place) places.push_back(place);
      wait_for(kCycle / 2);
    }
  });
  REQUIRE(context.run(ticks(1e6)));
  CHECK(places == std::vector<std::uint32_t>{0, 4, 8, 12, 36, 40, 8});
}

TEST_CASE("a gather reads its rows when its indices have come") {
  const auto end = [](double latency, bool indexed) {
    Bench bench("ethos-u85-256");
    const auto cycles = static_cast<std::uint32_t>(latency);
    bench.memory = {MemoryTiming{.read_latency = cycles}, MemoryTiming{.read_latency = cycles}};
    bench.dma({.family = Family::kU85,
               .src_region = 1,
               .dst_region = 1,
               .idx_region = 1,
               .dimensions = 2,
               .src_indexed = indexed,
               .src = 0,
               .dst = 1 << 22,
               .len = 64,
               .idx = 4096,
               .size0 = 4,
               .src_stride0 = 64,
               .dst_stride0 = 64,
               .idx_max = 30});
    return bench.run().dmas[0]->end;
  };
  CHECK(end(1000, false) - end(0, false) == ticks(1000.0));
  CHECK(end(1000, true) - end(0, true) == ticks(2000.0));
}

TEST_CASE("a scalar before or behind an operand that is read takes the same time") {
  const auto run = [](bool first, ElementwiseMode mode) {
    Bench bench("ethos-u85-256");
    bench.memory[0] = {.read_latency = 300};
    auto op = absolute(16, 16, 64, {16, 16, 16});
    op.family = Family::kU85;
    op.ublock = {2, 2, 8};
    op.elementwise = mode;
    (first ? op.ifm_broadcast : op.ifm2_broadcast).scalar = true;
    bench.kernel(op);
    return bench.run();
  };
  const auto first = run(true, ElementwiseMode::kAdd), second = run(false, ElementwiseMode::kAdd);
  CHECK(first.end == second.end);
  CHECK(first.pmu.counts == second.pmu.counts);
}

TEST_CASE("spans are joined over pauses of a cycle at least") {
  Context context;
  const auto entered = context.enter();
  Activity activity;
  activity.record(2);
  Actor worker("worker", 0, [&] {
    for (int i = 0; i < 5; ++i) {
      activity.begin(1);
      wait_for(ticks(10.0));
      activity.end();
      wait_for(ticks(0.25));
    }
    CHECK(activity.resolution() == kCycle);
    CHECK(activity.spans().size() == 1);
    wait_for(ticks(0.75));
    activity.begin(1);
    wait_for(ticks(1.0));
    activity.end();
    // The pause of one cycle is joined too, one that is longer is not.
    CHECK(activity.spans().size() == 1);
    wait_for(ticks(1.001));
    activity.begin(1);
    wait_for(ticks(1.0));
    activity.end();
    CHECK(activity.spans().size() == 2);
  });
  REQUIRE(context.run(ticks(1e6)));
  CHECK(worker.done != std::optional<std::int64_t>());
}

TEST_CASE("a device tells the rates of its memories, of which SRAM alone has a share of its cap") {
  const macaw::test::TemporaryFolder folder;
  const auto file = folder / "rates.toml";
  const std::string side = "pulse_on = 100\npulse_off = 100\nbandwidth_cap = 20\n";
  std::ofstream(file) << "clock_hz = 2e9\ndefault_memory_mode = \"Sram_Only\"\n[axi0]\n" << side << "[axi1]\n" << side;
  FlatMemory memory;
  const auto device = DeviceSimulation::create(*find_accelerator("ethos-u85-256"), file.string(), memory);
  REQUIRE(device);
  const auto job = (*device)->last_job();
  CHECK(job.clock_hz == 2e9);
  // Beats of 16 bytes, the last transaction of a window up to 256: two ports with 0.6 of 20 beats each, one with all.
  CHECK(job.bytes_per_cycle[0] == Approx((23 * 16 + 256) / 200.0));
  CHECK(job.bytes_per_cycle[1] == Approx((19 * 16 + 256) / 200.0));
}

TEST_CASE("transactions of U55 are short on AXI0 for feature maps alone, and end with a beat") {
  struct Row {
    Channel channel;
    int region;      ///< 0 is on AXI1, 1 on AXI0
    double longest;  ///< bytes, of IFM and OFM on AXI0
    std::uint64_t beats;
  };
  for (const Row& row : {Row{Channel::kReadIfm, 1, 32, 4},
                         {Channel::kReadIfm, 1, 12, 2},
                         {Channel::kReadIfm, 1, 16, 2},
                         {Channel::kReadIfm, 0, 32, 8},
                         {Channel::kWriteOfm, 1, 12, 2},
                         {Channel::kWriteOfm, 0, 16, 8},
                         {Channel::kReadWeights, 1, 16, 8},
                         {Channel::kReadIfm, 1, 0, 8}}) {
    Bench bench;
    bench.config.params.ifm_transaction_axi0 = bench.config.params.ofm_transaction_axi0 = row.longest;
    const Transfer transfer = contiguous(row.channel, row.region, 0, 256);
    BurstCursor cursor;
    start_cursor(cursor, bench.config, {&transfer, 1});
    Burst burst;
    Beats left(32);
    CAPTURE(row.region, row.longest);
    REQUIRE(cursor.take(burst, left));
    CHECK(burst.beats == Beats(row.beats));
  }
}

TEST_CASE("limits of registers cut transactions, those of commands and scales of U85 no longer than short ones") {
  for (const auto& [channel, bytes, expected] : {std::tuple(Channel::kReadIfm, 128U, 128U),
                                                 {Channel::kReadIfm, 256U, 256U},
                                                 {Channel::kReadCommands, 256U, 64U},
                                                 {Channel::kReadScaleBias, 128U, 64U},
                                                 {Channel::kReadWeights, 64U, 64U}}) {
    Bench bench("ethos-u85-256");
    AxiLimit limit;
    limit.burst_bytes = bytes;
    bench.config.limits = std::array{limit, limit, limit, limit};
    CHECK(burst_bytes(bench.config, channel, 1) == expected);
  }
}

TEST_CASE("the IFM buffer of U55 fills at its own pace") {
  const auto end = [](double pace) {
    Bench bench;
    bench.config.params.ifm_fill_beat = pace;
    bench.kernel(absolute(1, 16, 8, {1, 16, 8}));
    return bench.run().kernels[0]->computed;
  };
  // 16 beats.
  CHECK(end(3) - end(1) == ticks(32.0));
}

TEST_CASE("a block's record begins when the unit takes it up, not when its operation was issued") {
  Bench bench;
  bench.kernel(absolute(1, 64, 8, {1, 16, 8}));
  const auto kernel = std::get<KernelRef>(bench.program.instructions[0].action);
  kernel->keep_blocks = true;
  const auto result = bench.run();
  REQUIRE(kernel->records.size() == 4);
  for (std::size_t i = 1; i < 4; ++i) {
    CHECK(kernel->records[i].start > kernel->records[i - 1].start);
    CHECK(kernel->records[i].end > kernel->records[i - 1].end);
  }
  CHECK(kernel->records[3].end == kernel->end);
}

TEST_CASE("side 1 has all of its bandwidth cap, SRAM of U85 its share") {
  for (const std::size_t side : {0U, 1U}) {
    const auto end = [&](double share) {
      Bench bench("ethos-u85-256");
      bench.config.params.sram_cap_share = share;
      bench.memory[side] = {.pulse_on = 50, .pulse_off = 50, .bandwidth_cap = 20};
      bench.dma({.family = Family::kU85, .src_region = 0, .dst_region = 1, .src = 0, .dst = 1 << 22, .len = 1 << 14});
      return bench.run().end;
    };
    CAPTURE(side);
    CHECK((end(0.5) > end(1)) == (side == 0));
  }
}
