#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <cstdlib>
#include <filesystem>

#include "sim/config/error_bars.hpp"
#include "tests/support/corpus.hpp"
#include "tests/support/temporary_folder.hpp"
#include "workflow/calibrate/intervals.hpp"

// Every measurement of the corpus against the model, and the bounds that docs/ACCURACY.md states.
using namespace macaw;
using namespace macaw::calibrate;

namespace {

bool available() {
  return macaw::test::in_corpus("measured/measurements.json") &&
         macaw::test::in_corpus("measured_more/measurements.json") &&
         macaw::test::in_corpus("outside/latency/cells.json");
}

/// The corpus's measurements as a measurement file.
const Measurements& measurements() {
  static const auto loaded = [] {
    // The artifacts are named from it on.
    static const macaw::test::TemporaryFolder temporary;
    const auto file = temporary / "measured.json";
    const auto command = "python3 tests/tools/measurements/convert.py '" + macaw::test::corpus("measured").string() +
                         "' '" + macaw::test::corpus("measured_more").string() + "' '" +
                         macaw::test::corpus("outside/latency").string() + "' '" + file.string() + "'";
    if (std::system(command.c_str()) != 0) FAIL("failed: " + command);
    return load_measurements(file);
  }();
  if (!loaded) FAIL(loaded.error().to_string());
  return *loaded;
}

/// Every cell once.
const std::vector<Outcome>& outcomes() {
  static const auto all = [] {
    Evaluator evaluator;
    auto run = run_all(evaluator, measurements().cells);
    if (!run) FAIL(run.error().to_string());
    return std::move(*run);
  }();
  return all;
}

/// Largest errors of a group of one family; `worst` is past the grid of coarse figures.
struct Bound {
  npu::Family family;
  const char* group;
  std::size_t cells;
  double mean, worst;
};
constexpr Bound kBounds[] = {
    {npu::Family::kU55, "adapter on", 20, 0.015, 0.04},
    {npu::Family::kU65, "adapter on", 10, 0.02, 0.045},
    {npu::Family::kU85, "adapter on", 25, 0.025, 0.09},
    {npu::Family::kU55, "adapter off", 20, 0.015, 0.05},
    {npu::Family::kU65, "adapter off", 10, 0.025, 0.045},
    {npu::Family::kU55, "SRAM BWCAP", 8, 0.02, 0.03},
    {npu::Family::kU65, "SRAM BWCAP", 8, 0.03, 0.05},
    {npu::Family::kU55, "EXT BWCAP", 7, 0.02, 0.03},
    {npu::Family::kU85, "FPGA", 3, 0.05, 0.06},
    {npu::Family::kU85, "EXT read latency", 36, 0.04, 0.11},
    {npu::Family::kU85, "EXT write latency", 16, 0.04, 0.11},
    {npu::Family::kU85, "EXT MAXR", 24, 0.04, 0.11},
    {npu::Family::kU85, "single layers, adapter as it is", 27, 0.04, 0.08},
    {npu::Family::kU55, "changed adapter", 1, 0.04, 0.06},
    {npu::Family::kU85, "changed adapter", 4, 0.03, 0.06},
    {npu::Family::kU85, "single layers, 512 MACs", 3, 0.03, 0.04},
    {npu::Family::kU55, "silicon, streams", 2, 0.1, 0.2},
};

}  // namespace

TEST_CASE("beats and MAC cycles of every measured network are those that were measured") {
  if (!available()) return;
  std::size_t checked = 0;
  for (const auto& outcome : outcomes()) {
    INFO(outcome.cell->id);
    CHECK(outcome.wrong == std::vector<std::string>{});
    checked += outcome.cell->expected.size();
  }
  CHECK(checked > 500);
}

TEST_CASE("NPU_ACTIVE stays within the bounds of its class") {
  if (!available()) return;
  for (const auto& bound : kBounds) {
    CAPTURE(to_string(bound.family), bound.group);
    std::vector<const Outcome*> own;
    for (const auto& outcome : outcomes())
      if (outcome.cell->accelerator->family == bound.family && outcome.cell->group == bound.group)
        own.push_back(&outcome);
    const auto cycles = summarise(own), beyond = summarise(own, &Outcome::error_beyond_resolution);
    CHECK(cycles.cells == bound.cells);
    CHECK(cycles.mean < bound.mean);
    INFO(beyond.worst_cell->id);
    CHECK(beyond.worst < bound.worst);
  }
}

TEST_CASE("the error bars of reports hold for every measured network") {
  if (!available()) return;
  std::size_t covered = 0;
  for (const auto& outcome : outcomes()) {
    const Cell& cell = *outcome.cell;
    if (!cell.error_bar) continue;
    const auto setup = npu::resolve_setup(*cell.accelerator, {.timing_adapter = cell.options.timing_adapter});
    REQUIRE(setup);
    const auto* bar = npu::measured_error(*cell.accelerator, *setup);
    INFO(cell.id);
    REQUIRE(bar != nullptr);
    CHECK(std::abs(outcome.error) <= bar->worst);
    ++covered;
  }
  CHECK(covered == 5 * npu::measured_errors().size());
}

TEST_CASE("the intervals of reports hold for networks that they are not from") {
  if (!available()) return;
  double with_interval = 0, inside = 0;
  for (const auto& row : leave_out(outcomes(), [](const Outcome& outcome) { return outcome.cell->network; })) {
    INFO(row.family << " " << row.group);
    CHECK(row.mean_half_width <= npu::kWidestInterval);
    with_interval += row.with_interval;
    inside += row.inside;
  }
  CHECK(with_interval > 200);
  CHECK(inside >= 0.85 * with_interval);
}

TEST_CASE("every entry of the corpus is measured or left out with a reason") {
  if (!available()) return;
  std::size_t entries = 0;
  for (const auto* part : {"S1-", "S2-", "S3-"})
    entries += static_cast<std::size_t>(
        std::ranges::count_if(measurements().cells, [&](const Cell& cell) { return cell.id.starts_with(part); }));
  CHECK(entries == 101);
  CHECK(measurements().left_out.size() == 113);
}
