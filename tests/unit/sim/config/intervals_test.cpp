#include "sim/config/intervals.hpp"
#include "sim/config/operation_intervals.hpp"

#include <catch2/catch.hpp>

#include <vector>

using namespace macaw::npu;

namespace {

const Accelerator& u85() { return *find_accelerator("ethos-u85-256"); }

TimedResult run_of(std::uint64_t cycles, const char* bound) {
  TimedResult run;
  run.cycles = cycles;
  run.operations.resize(1);
  run.operations[0].end = cycles;
  run.operations[0].bound = bound;
  run.operations[0].work = "convolution";
  return run;
}

Setup setup_of(const SetupRequest& request) {
  auto setup = resolve_setup(u85(), request);
  if (!setup) FAIL(setup.error().to_string());
  return std::move(*setup);
}

std::string reason(const SetupRequest& request) {
  const auto interval = interval_of(u85(), setup_of(request), run_of(1000, "mac"));
  REQUIRE_FALSE(interval);
  return interval.error();
}

}  // namespace

TEST_CASE("a run has an interval around its cycles on the system that was measured") {
  const auto interval = interval_of(u85(), setup_of({}), run_of(1'000'000, "mac"));
  REQUIRE(interval);
  CHECK(interval->low < 1'000'000);
  CHECK(interval->high > 1'000'000);
  CHECK(static_cast<double>(interval->high) <= 1'000'000 * (1 + kWidestInterval) + 1);
  CHECK(interval->coverage == 0.9);
  CHECK(interval->basis.find("corstone-320-u85-low") != std::string::npos);
}

TEST_CASE("what was never measured has no interval, and says why") {
  CHECK(reason({.system = "ideal"}).find("ideal") != std::string::npos);
  CHECK(reason({.overrides = {{"kernel_start", 7}}}).find("kernel_start") != std::string::npos);
  CHECK(reason({.overrides = {{"axi1.beats_per_cycle", 0.5}}}).find("beats_per_cycle") != std::string::npos);
}

TEST_CASE("a system that was measured itself has the interval of its own measurements") {
  auto setup = setup_of({});
  setup.system.measured_ratios = {0.9, 1 / 0.9};
  // The quantile of Student's t is 2.920 with two degrees of freedom, 6.314 with one.
  const auto interval = interval_of(u85(), setup, run_of(100'000, "mac"));
  REQUIRE(interval);
  CHECK(interval->low == 73'517);
  CHECK(interval->high == 136'023);
  setup.system.fitted_values = 1;
  const auto wider = interval_of(u85(), setup, run_of(100'000, "mac"));
  REQUIRE(wider);
  CHECK(wider->low == 26'434);
  CHECK(wider->basis.find("2 networks") != std::string::npos);
  setup.overridden = {"clock_hz"};
  CHECK(interval_of(u85(), setup, run_of(100'000, "mac")));
  setup.overridden = {"axi0.read_latency"};
  CHECK(interval_of(u85(), setup, run_of(100'000, "mac")).error().find("axi0.read_latency") != std::string::npos);
  setup.overridden.clear();
  setup.mode.name = "another";
  CHECK(interval_of(u85(), setup, run_of(100'000, "mac")).error().find("memory mode") != std::string::npos);
}

TEST_CASE("a run's kind follows from its setup, its length and what bounds it") {
  const auto run = profile_of(u85(), setup_of({.overrides = {{"ext.read_latency", 9}}}), run_of(99'999, "ext"));
  REQUIRE(run);
  CHECK(run->kind.memory == "registers");
  CHECK(run->kind.bound == "memory");
  CHECK(run->kind.length == "short");
  CHECK(run->registers.at("axi1.read_latency") == 9);
  CHECK(run->registers.contains("axi0.pulse_off"));
  CHECK_FALSE(run->registers.contains("axi0.traffic"));
  CHECK(run->work == std::map<std::string, double>{{"convolution", 1}});
  const auto other =
      profile_of(u85(), setup_of({.memory_mode = "Sram_Only", .timing_adapter = false}), run_of(100'000, "mac"));
  REQUIRE(other);
  CHECK(other->kind.memory == "mode");
  CHECK(other->kind.adapter == "off");
  CHECK(other->kind.bound == "compute");
  CHECK(other->kind.length == "long");
}

TEST_CASE("a clock changes no cycle and no interval") {
  const auto own = interval_of(u85(), setup_of({}), run_of(1'000'000, "mac"));
  const auto faster = interval_of(u85(), setup_of({.overrides = {{"clock_hz", 1e9}}}), run_of(1'000'000, "mac"));
  REQUIRE(own);
  REQUIRE(faster);
  CHECK(faster->low == own->low);
  CHECK(faster->basis == own->basis);
}

TEST_CASE("work of a kind that was not measured widens an interval, much of it leaves none") {
  const IntervalTable table{.kinds = {{{"U85", "on", "own", "memory", "short"}, .04, .9, 9, 3}},
                            .work = {{"U85", "convolution"}, {"U55", "resize"}},
                            .registers = {}};
  RunProfile run{.kind = {"U85", "on", "own", "memory", "short"}, .work = {{"convolution", 1.0}}};
  CHECK(estimate(run, table)->half_width == Approx(.04));
  run.work = {{"convolution", .9}, {"resize", .1}};
  const auto wider = estimate(run, table);
  REQUIRE(wider);
  CHECK(wider->half_width == Approx(.09));
  CHECK(wider->unmeasured_work == "resize");
  run.work = {{"convolution", .7}, {"resize", .3}};
  const auto none = estimate(run, table);
  REQUIRE_FALSE(none);
  CHECK(none.error().find("resize") != std::string::npos);
}

TEST_CASE("a register outside of the measured values leaves no interval") {
  const IntervalTable table{.kinds = {{{"U85", "on", "registers", "memory", "short"}, .04, .9, 9, 3}},
                            .work = {{"U85", "convolution"}},
                            .registers = {{"U85", "axi1.read_latency", 0, 1000}}};
  RunProfile run{.kind = {"U85", "on", "registers", "memory", "short"}, .work = {{"convolution", 1.0}}};
  for (const double value : {0.0, 999.0, 1000.0}) {
    run.registers = {{"axi1.read_latency", value}};
    CHECK(estimate(run, table));
  }
  run.registers = {{"axi1.read_latency", 1001}};
  CHECK(estimate(run, table).error() == "axi1.read_latency=1001 is outside of what was measured, 0 to 1000");
  run.registers = {{"axi0.read_latency", 32}};
  CHECK(estimate(run, table).error() == "nothing was measured with axi0.read_latency");
}

TEST_CASE("the first row that fits counts") {
  const KindInterval rows[] = {{{"U85", "on", "own", "memory", "short"}, .1, .9, 9, 3},
                               {{"U85", "any", "any", "any", "any"}, .2, .9, 0, 0}};
  const RunKind kind{"U85", "on", "own", "memory", "short"};
  CHECK(find_interval(kind, rows) == &rows[0]);
  RunKind off = kind;
  off.adapter = "off";
  CHECK(find_interval(off, rows) == &rows[1]);
  off.family = "U55";
  CHECK(find_interval(off, rows) == nullptr);
}

TEST_CASE("single operations have intervals from the length on that was measured") {
  struct Row {
    const char* accelerator;
    std::uint64_t least;
  };
#define MACAW_OPERATION_INTERVAL(accelerator, least, ...) {accelerator, least},
  constexpr Row kRows[] = {
#include "sim/config/operation_intervals.def"
  };
#undef MACAW_OPERATION_INTERVAL
  for (const auto& row : kRows) {
    CHECK_FALSE(operation_interval(row.accelerator, "NPU_OP_CONV", row.least - 1));
    const auto interval = operation_interval(row.accelerator, "NPU_OP_CONV", row.least);
    REQUIRE(interval);
    CHECK(interval->low < row.least);
    CHECK(interval->high > row.least);
    CHECK_FALSE(operation_interval(row.accelerator, "NPU_OP_POOL", row.least));
  }
  CHECK_FALSE(operation_interval("ethos-u55-32", "NPU_OP_CONV", 1'000'000));
}

TEST_CASE("time that operations share is of the first of them, and half of the time is bound by memory") {
  struct Span {
    std::uint64_t start, end;
    const char* bound;
  };
  const auto bound = [](const std::vector<Span>& spans) {
    TimedResult run;
    for (const Span& span : spans) {
      OperationTiming& operation = run.operations.emplace_back();
      operation.start = span.start;
      operation.end = span.end;
      operation.bound = span.bound;
    }
    return profile_of(u85(), setup_of({}), run)->kind.bound;
  };
  CHECK(bound({{0, 50, "mac"}, {50, 100, "ext"}}) == "memory");
  CHECK(bound({{0, 51, "mac"}, {51, 100, "ext"}}) == "compute");
  CHECK(bound({{0, 60, "output_unit"}, {20, 100, "sram"}}) == "compute");
  CHECK(bound({{0, 60, "ext"}, {20, 100, "weight_decoder"}}) == "memory");
  CHECK(bound({{0, 100, "ext"}, {10, 20, "mac"}, {20, 90, "mac"}, {100, 190, "mac"}}) == "memory");
  CHECK(bound({{0, 10, "commands"}, {10, 21, "mac"}}) == "compute");
  CHECK(bound({}) == "memory");
}

TEST_CASE("an interval begins and ends at whole cycles outside of its bounds") {
  const KindInterval* row = find_interval({"U85", "on", "own", "compute", "long"}, measured_intervals().kinds);
  REQUIRE(row);
  for (const std::uint64_t cycles : {100'000U, 100'001U, 123'457U, 999'983U}) {
    const auto interval = interval_of(u85(), setup_of({}), run_of(cycles, "mac"));
    REQUIRE(interval);
    const double width = static_cast<double>(cycles) * row->half_width, middle = static_cast<double>(cycles);
    CHECK(static_cast<double>(interval->low) <= middle - width);
    CHECK(static_cast<double>(interval->low) > middle - width - 1);
    CHECK(static_cast<double>(interval->high) >= middle + width);
    CHECK(static_cast<double>(interval->high) < middle + width + 1);
  }
}

TEST_CASE("each part of a kind has to fit its row") {
  const RunKind kind{"U85", "on", "own", "memory", "short"};
  const KindInterval row{kind, .1, .9, 1, 1};
  CHECK(find_interval(kind, {&row, 1}) == &row);
  for (auto part : {&RunKind::family, &RunKind::adapter, &RunKind::memory, &RunKind::bound, &RunKind::length}) {
    RunKind other = kind;
    other.*part = "other";
    CHECK(find_interval(other, {&row, 1}) == nullptr);
    KindInterval open = row;
    open.kind.*part = "any";
    CHECK(find_interval(other, {&open, 1}) == &open);
  }
}
