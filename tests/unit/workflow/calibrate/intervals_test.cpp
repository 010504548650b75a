#include "workflow/calibrate/intervals.hpp"

#include <catch2/catch.hpp>

#include <deque>

using namespace macaw;
using namespace macaw::calibrate;

namespace {

/// Outcomes of one kind of run, `networks` networks in turn.
struct Outcomes {
  std::deque<Cell> cells;
  std::vector<Outcome> all;

  void add(double error, const std::string& network, npu::RunKind kind) {
    Cell& cell = cells.emplace_back();
    cell.network = network;
    cell.group = "g";
    cell.accelerator = npu::find_accelerator("ethos-u85-256");
    cell.cycles = MeasuredCycles{1000, 0, false, {}};
    Outcome& outcome = all.emplace_back();
    outcome.cell = &cell;
    outcome.error = error;
    outcome.profile = npu::RunProfile{.kind = kind, .work = {{"convolution", 1.0}}};
  }
  [[nodiscard]] npu::IntervalTable table() const {
    std::vector<const Outcome*> pointers;
    for (const auto& outcome : all) pointers.push_back(&outcome);
    return intervals_of(pointers);
  }
  [[nodiscard]] std::vector<npu::KindInterval> intervals() const { return table().kinds; }
};

constexpr npu::RunKind kOwn{"U85", "on", "own", "memory", "short"};

}  // namespace

TEST_CASE("nine of ten further runs are inside an interval") {
  Outcomes outcomes;
  // Simulated cycles 1 to 19 per cent too low: measured are as many above.
  for (int i = 1; i <= 19; ++i) outcomes.add(1 / (1 + 0.01 * i) - 1, "n" + std::to_string(i % 4), kOwn);
  const auto rows = outcomes.intervals();
  const auto* row = npu::find_interval(kOwn, rows);
  REQUIRE(row);
  CHECK(row->half_width == Approx(0.18).margin(0.0011));  // the 18th of 19: 0.9 * (19 + 1)
  CHECK(row->runs == 19);
  CHECK(row->networks == 4);
}

TEST_CASE("few runs widen an interval, and kinds that were never measured are wider still") {
  Outcomes outcomes;
  for (int i = 0; i < 5; ++i) outcomes.add(1 / 1.04 - 1, "n" + std::to_string(i), kOwn);
  const auto rows = outcomes.intervals();
  CHECK(npu::find_interval(kOwn, rows)->half_width == Approx(0.05).margin(0.0011));
  npu::RunKind off = kOwn;
  off.adapter = "off";
  const auto* widened = npu::find_interval(off, rows);
  REQUIRE(widened);
  CHECK(widened->half_width == Approx(0.075).margin(0.002));
  CHECK(widened->runs == 0);
}

TEST_CASE("runs of one or two networks are not enough to know how another network is off") {
  Outcomes one, two, three;
  for (int i = 0; i < 40; ++i) {
    one.add(1 / 1.04 - 1, "n", kOwn);
    two.add(1 / 1.04 - 1, "n" + std::to_string(i % 2), kOwn);
    three.add(1 / 1.04 - 1, "n" + std::to_string(i % 3), kOwn);
  }
  CHECK(npu::find_interval(kOwn, one.intervals())->half_width == Approx(0.08).margin(0.0011));
  CHECK(npu::find_interval(kOwn, two.intervals())->half_width == Approx(0.06).margin(0.0011));
  CHECK(npu::find_interval(kOwn, three.intervals())->half_width == Approx(0.04).margin(0.0011));
}

TEST_CASE("the widest kind of a family is widened for what was never measured, wherever it stands") {
  for (const bool wide_first : {true, false}) {
    Outcomes outcomes;
    npu::RunKind other = kOwn;
    other.memory = "other";
    for (int i = 0; i < 40; ++i)
      outcomes.add(1 / (wide_first ? 1.2 : 1.1) - 1, "n" + std::to_string(i % 8), kOwn);
    for (int i = 0; i < 40; ++i) outcomes.add(1 / (wide_first ? 1.1 : 1.2) - 1, "n" + std::to_string(i % 8), other);
    const auto rows = outcomes.intervals();
    npu::RunKind off = kOwn;
    off.adapter = "off";
    CHECK(npu::find_interval(off, rows)->half_width == Approx(0.3).margin(0.002));
  }
}

TEST_CASE("the table says which work and which registers were measured") {
  Outcomes outcomes;
  outcomes.add(0.01, "a", kOwn);
  outcomes.all.back().profile->work = {{"convolution", 0.97}, {"pooling", 0.03}};
  outcomes.all.back().profile->registers = {{"axi1.read_latency", 250}};
  outcomes.add(0.01, "b", kOwn);
  outcomes.all.back().profile->work = {{"pooling", 0.04}, {"elementwise", 0.96}};
  outcomes.all.back().profile->registers = {{"axi1.read_latency", 16}};
  const auto table = outcomes.table();
  REQUIRE(table.work.size() == 2);
  CHECK(table.work[0].work == "convolution");
  CHECK(table.work[1].work == "elementwise");
  REQUIRE(table.registers.size() == 1);
  CHECK(table.registers[0].least == 16);
  CHECK(table.registers[0].most == 250);
}

TEST_CASE("a network is judged by the intervals of the others") {
  Outcomes outcomes;
  for (int i = 0; i < 12; ++i) outcomes.add(0.01, "good" + std::to_string(i % 4), kOwn);
  outcomes.add(0.2, "odd", kOwn);
  const auto coverage = leave_out(outcomes.all, [](const Outcome& outcome) { return outcome.cell->network; });
  REQUIRE(coverage.size() == 1);
  CHECK(coverage[0].runs == 13);
  CHECK(coverage[0].inside < coverage[0].with_interval);
}
