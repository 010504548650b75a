#include "sim/timed/breakdown.hpp"
#include "sim/timed/movements.hpp"
#include "tests/unit/sim/timed/bench.hpp"

#include <catch2/catch.hpp>

// Report of an operation, from given times and traffic.
using namespace macaw::npu;
using namespace macaw::npu::timed;

namespace {

/// The account of an operation that was issued at 10, started at 25 and ended at 90.
OperationTiming account(Bench& bench, const BlockOperation& op, Ticks UnitTimes::*busiest) {
  const auto run = make_kernel(bench.config, op, 7);
  run->issued = ticks(10.0);
  run->start = ticks(25.0);
  run->end = ticks(90.0);
  for (Ticks UnitTimes::*unit : {&UnitTimes::mac, &UnitTimes::weight_decoder, &UnitTimes::output_unit,
                                 &UnitTimes::ifm_read, &UnitTimes::weight_read, &UnitTimes::ofm_write})
    run->busy.*unit = ticks(unit == busiest ? 40.0 : 30.0);
  std::vector<OperationTiming> operations;
  Breakdown breakdown(operations, bench.config, {.step = 3, .offset = Cycles(1000)});
  breakdown.add({7, 0, run});
  breakdown.finish();
  REQUIRE(operations.size() == 1);
  return operations[0];
}

const Movement& movement(const OperationTiming& timing, const std::string& purpose) {
  const auto found = std::ranges::find(timing.memory, purpose, &Movement::purpose);
  REQUIRE(found != timing.memory.end());
  return *found;
}

}  // namespace

TEST_CASE("an operation has its own times, and is bound by the unit that worked longest, ports by their side") {
  struct Row {
    const char* accelerator;
    const char *side0, *side1;
  };
  for (const Row& row : {Row{"ethos-u55-128", "axi0", "axi1"}, Row{"ethos-u65-256", "axi0", "axi1"},
                         Row{"ethos-u85-256", "sram", "ext"}}) {
    Bench bench(row.accelerator);
    auto op = pointwise(8, 8, 16, 16, {8, 8, 16}, 512);  // weights in region 0, maps in 1
    op.family = bench.accelerator.family;
    if (op.family == Family::kU85) op.ublock = {2, 2, 8};
    const std::array<std::string, 2> sides = {row.side0, row.side1};
    const auto side = [&](int region) { return sides[static_cast<std::size_t>(bench.config.mode.side(region))]; };
    REQUIRE(side(0) == sides[1]);
    REQUIRE(side(1) == sides[0]);
    const auto timing = account(bench, op, &UnitTimes::mac);
    CHECK(timing.step == 3);
    CHECK(timing.command == 7);
    CHECK(timing.issued == 1010);
    CHECK(timing.start == 1025);
    CHECK(timing.end == 1090);
    CHECK(timing.bound == "mac");
    CHECK(account(bench, op, &UnitTimes::weight_decoder).bound == "weight_decoder");
    CHECK(account(bench, op, &UnitTimes::output_unit).bound == "output_unit");
    CHECK(account(bench, op, &UnitTimes::ifm_read).bound == row.side0);
    CHECK(account(bench, op, &UnitTimes::ofm_write).bound == row.side0);
    CHECK(account(bench, op, &UnitTimes::weight_read).bound == row.side1);
  }
}

TEST_CASE("a copy is busy from its start, and what nothing filled before it was issued is idle") {
  Bench bench;
  const auto copy = make_dma({.src_region = 0, .dst_region = 1, .src = 0, .dst = 4096, .len = 64}, 5);
  copy->issued = ticks(10.0);
  copy->start = ticks(30.0);
  copy->end = ticks(70.0);
  const auto kernel = make_kernel(bench.config, absolute(4, 4, 16, {4, 4, 16}), 6);
  kernel->issued = ticks(95.0);
  kernel->start = ticks(95.0);
  kernel->end = ticks(120.0);
  std::vector<OperationTiming> operations;
  Breakdown breakdown(operations, bench.config, {});
  breakdown.add({5, 0, copy});
  breakdown.add({6, 0, kernel});
  breakdown.finish();
  REQUIRE(operations.size() == 2);
  CHECK(operations[0].issued == 10);
  CHECK(operations[0].start == 30);
  CHECK(operations[0].busy == UnitCycles{{"dma", 40}});
  CHECK(operations[1].busy.back() == std::pair<std::string, std::uint64_t>("command_processor", 25));
}

TEST_CASE("movements name what an operation moves, where, and how many products it sums") {
  Bench bench;
  auto op = pointwise(5, 6, 16, 24, {4, 4, 16}, 96);
  op.kernel.height = 3;
  op.kernel.width = 2;
  op.ifm = feature_map(7, 7, 16, 256);
  op.weights[1] = {0, 400, 32};
  op.scales[0] = {0, 1024, 240};
  OperationTiming timing;
  add_movements(timing, op, bench.accelerator);
  CHECK(timing.macs == 5 * 6 * 24 * 3 * 2 * 16);
  CHECK(movement(timing, "weights").first == 0);
  CHECK(movement(timing, "weights").last == 431);
  CHECK(movement(timing, "scales").first == 1024);
  CHECK(movement(timing, "scales").last == 1263);
  CHECK(movement(timing, "ifm").first == 256);
  CHECK(movement(timing, "ifm").last == 256 + 7 * 7 * 16 - 1);
  CHECK_FALSE(movement(timing, "ifm").write);
  CHECK(movement(timing, "ofm").first == 1 << 16);
  CHECK(movement(timing, "ofm").last == (1 << 16) + 5 * 6 * 24 - 1);
  CHECK(movement(timing, "ofm").write);
  CHECK(timing.memory.size() == 4);

  op.kind = OpKind::kDepthwise;
  op.ifm = feature_map(7, 7, 24, 256);
  OperationTiming depthwise;
  add_movements(depthwise, op, bench.accelerator);
  CHECK(depthwise.macs == 5 * 6 * 24 * 3 * 2);
  OperationTiming elementwise;
  add_movements(elementwise, absolute(5, 6, 24, {4, 4, 16}), bench.accelerator);
  CHECK(elementwise.macs == 0);
}

TEST_CASE("products are as wide as the IFM, and each operand moves bytes of its own") {
  Bench bench;
  auto op = pointwise(5, 6, 16, 24, {4, 4, 16}, 96);
  op.ofm.bits = 16;
  op.ofm.stride_x *= 2, op.ofm.stride_y *= 2;
  OperationTiming timing;
  add_movements(timing, op, bench.accelerator);
  CHECK(timing.mac_bits == 8);

  auto sum = absolute(8, 8, 16, {4, 4, 16});
  sum.elementwise = ElementwiseMode::kAdd;
  sum.ifm2 = sum.ifm;
  sum.ifm2.base[0] += 4096;
  sum.ifm2.w = 1;
  sum.ifm2_broadcast.w = true;
  OperationTiming broadcast;
  add_movements(broadcast, sum, bench.accelerator);
  CHECK(movement(broadcast, "ifm2").bytes < movement(broadcast, "ifm").bytes);
}

TEST_CASE("time is idle after everything before has ended, in whatever order it ended") {
  Bench bench;
  std::vector<OperationTiming> operations;
  Breakdown breakdown(operations, bench.config, {});
  const auto add = [&](std::size_t command, double issued, double end) {
    const auto run = make_kernel(bench.config, absolute(4, 4, 16, {4, 4, 16}), command);
    run->issued = run->start.emplace(ticks(issued));
    run->end = ticks(end);
    breakdown.add({command, 0, run});
  };
  add(1, 0, 100);
  add(2, 10, 60);
  add(3, 120, 130);
  breakdown.finish();
  REQUIRE(operations.size() == 3);
  CHECK(operations[2].busy.back() == std::pair<std::string, std::uint64_t>("command_processor", 20));
}

TEST_CASE("movements of a copy reach from its lowest byte to its highest, backwards too") {
  const Accelerator& accelerator = *find_accelerator("ethos-u85-256");
  const DmaOperation op{.family = Family::kU85,
                        .src_region = 0,
                        .dst_region = 1,
                        .dimensions = 3,
                        .src = 4096,
                        .dst = 512,
                        .len = 32,
                        .size0 = 4,
                        .size1 = 3,
                        .src_stride0 = -64,
                        .src_stride1 = 300,
                        .dst_stride0 = 48,
                        .dst_stride1 = 1000};
  OperationTiming timing;
  add_movements(timing, dma_traffic(op), accelerator);
  CHECK(movement(timing, "source").first == 4096 - 3 * 64);
  CHECK(movement(timing, "source").last == 4096 + 2 * 300 + 31);
  CHECK(movement(timing, "destination").first == 512);
  CHECK(movement(timing, "destination").last == 512 + 3 * 48 + 2 * 1000 + 31);
  CHECK(movement(timing, "destination").write);
  CHECK(movement(timing, "destination").bytes >= 12 * 32);
}
