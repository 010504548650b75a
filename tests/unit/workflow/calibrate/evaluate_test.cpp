#include "workflow/calibrate/evaluate.hpp"

#include <catch2/catch.hpp>

#include "tests/support/checked.hpp"

// Evaluation of a measurement against a run of a bundled network.
using namespace macaw;
using macaw::test::checked;

namespace {

calibrate::Cell tiny_cnn() {
  calibrate::Cell cell;
  cell.accelerator = npu::find_accelerator("ethos-u55-128");
  cell.artifact = "traces/tiny_cnn/ethos-u55-128/tiny_cnn.npz";
  cell.options.values = false;
  return cell;
}

}  // namespace

TEST_CASE("cycles may be lower than measured by the resolution, and off by their tolerance beyond it") {
  calibrate::Evaluator evaluator;
  auto cell = tiny_cnn();
  const auto cycles = static_cast<double>(checked(evaluator.run(cell)).cycles);
  REQUIRE(cycles > 1000);
  struct Row {
    double measured, resolution, tolerance, beyond;  ///< beyond: the grid, in cycles
    bool right;
  };
  for (const Row& row : {Row{cycles, 0, 0, 0, true},
                         {cycles + 1, 0, 0, -1, false},
                         {cycles - 1, 0, 0, 1, false},
                         {cycles + 100, 100, 0, 0, true},
                         {cycles + 101, 100, 0, -1, false},
                         {cycles - 1, 100, 0, 0, false},
                         {cycles - 130, 100, 0, 30, false},
                         {cycles / 1.24, 0, .25, cycles - cycles / 1.24, true},
                         {cycles / 1.26, 0, .25, cycles - cycles / 1.26, false}}) {
    INFO(row.measured - cycles << " off, resolution " << row.resolution);
    cell.cycles = calibrate::MeasuredCycles{row.measured, row.resolution, false, row.tolerance};
    const auto outcome = checked(evaluator.run(cell));
    CHECK(outcome.wrong.empty() == row.right);
    CHECK(outcome.error == Approx(cycles / (row.measured - row.resolution / 2) - 1).margin(1e-12));
    CHECK(outcome.error_beyond_resolution == Approx(row.beyond / row.measured).margin(1e-12));
    cell.cycles->tolerance.reset();
    CHECK(checked(evaluator.run(cell)).wrong.empty());
  }
}

TEST_CASE("counters are as measured, within their resolution and tolerance, and must be there") {
  calibrate::Evaluator evaluator;
  auto cell = tiny_cnn();
  const auto timed =
      checked(npu::run_timed(checked(npu::load_artifact(cell.artifact)), *cell.accelerator, {}, cell.options));
  const auto count = timed.pmu.counts.at("ETHOSU_PMU_MAC_ACTIVE");
  const auto wrong = [&](std::string event, std::uint64_t value, double resolution, double tolerance) {
    cell.expected = {{std::move(event), value, resolution, tolerance}};
    return checked(evaluator.run(cell)).wrong.size();
  };
  CHECK(wrong("MAC_ACTIVE", count, 0, 0) == 0);
  CHECK(wrong("MAC_ACTIVE", count + 1, 0, 0) == 1);
  CHECK(wrong("MAC_ACTIVE", count - 1, 0, 0) == 1);
  CHECK(wrong("MAC_ACTIVE", count + 8, 8, 0) == 0);
  CHECK(wrong("MAC_ACTIVE", count + 9, 8, 0) == 1);
  CHECK(wrong("MAC_ACTIVE", count - 1, 8, 0) == 1);
  CHECK(wrong("MAC_ACTIVE", 2 * count, 0, 0.5) == 0);
  CHECK(wrong("MAC_ACTIVE", 2 * count + 2, 0, 0.5) == 1);
  CHECK(wrong("NO_SUCH_EVENT", 0, 0, 0) == 1);
}

TEST_CASE("errors of either sign are summed by their size, of cells that have cycles") {
  const calibrate::Cell a = [] {
    auto cell = tiny_cnn();
    cell.cycles = calibrate::MeasuredCycles{100, 0, false, {}};
    return cell;
  }();
  auto b = a;
  const auto without = tiny_cnn();
  const auto outcome = [](const calibrate::Cell& cell, double error) {
    calibrate::Outcome one;
    one.cell = &cell;
    one.error = error;
    return one;
  };
  const auto up = outcome(a, 0.1), down = outcome(b, -0.3), none = outcome(without, 5);
  const auto summary = calibrate::summarise({&up, &down, &none});
  CHECK(summary.cells == 2);
  CHECK(summary.mean == Approx(0.2));
  CHECK(summary.worst == Approx(0.3));
  CHECK(summary.worst_cell == &b);
  CHECK(calibrate::summarise({}).cells == 0);
}
