#include "workflow/calibrate/fit.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>

#include "workflow/calibrate/table.hpp"

using namespace macaw;
using namespace macaw::calibrate;

namespace {

/// Runs of one network under two names with memories of several latencies, "measured" on a machine that has another
/// kernel_done; those of `odd` are off by a fifth more.
std::vector<Cell> planted(Evaluator& evaluator, const std::string& odd) {
  std::vector<Cell> cells;
  for (const auto* network : {"one", "two"})
    for (const int latency : {0, 100, 200, 300, 400, 500, 600}) {
      Cell cell;
      cell.id = fmt::format("{} {}", network, latency);
      cell.network = network;
      cell.accelerator = npu::find_accelerator("ethos-u85-256");
      cell.artifact = "traces/tiny_cnn/ethos-u85-256/tiny_cnn.npz";
      cell.options.values = false;
      cell.options.params = {{"axi1.read_latency", latency}};
      cell.fitted = true;
      const auto outcome = evaluator.run(cell, {{"kernel_done", 140}});
      REQUIRE(outcome);
      cell.cycles.emplace().value = static_cast<double>(outcome->cycles) * (network == odd ? 1.2 : 1);
      cells.push_back(cell);
    }
  return cells;
}

const WithoutGroup& without(const Fit& fit, std::string_view group) {
  return *std::ranges::find(fit.without, group, &WithoutGroup::group);
}

}  // namespace

TEST_CASE("a network that is left out is run with the fit on the others alone") {
  Evaluator evaluator;
  const auto fits = fit(evaluator, planted(evaluator, "two"));
  REQUIRE(fits);
  const Fit& result = fits->at(0);
  CHECK(result.after < result.before);
  double squares = 0;
  for (const auto& cell : planted(evaluator, "two")) {
    const auto outcome = evaluator.run(cell);
    REQUIRE(outcome);
    squares += outcome->error * outcome->error;
  }
  CHECK(result.before == Approx(std::sqrt(squares / 14)));
  // Fitted on "one" alone, the other is off by about the sixth that it has more; the fit on both shares that out.
  CHECK(without(result, "two").mean == Approx(1 - 1 / 1.2).margin(0.03));
  CHECK(without(result, "two").cells == 7);
  CHECK(without(result, "ethos-u85-256").cells == 14);
}

TEST_CASE("the errors of what was left out in turn are summed up by kind") {
  Fit result;
  result.scope = "U85";
  result.without = {
      {"network", "kws", 3, 0.02, 0.04}, {"network", "ad", 1, 0.06, 0.06}, {"configuration", "x", 4, 0.01, 0.02}};
  const auto text = to_text(std::vector<Fit>{result});
  CHECK(text.find("each network left out, the factors above fitted again on the others: mean 3.0 %, worst 6.0 %") !=
        std::string::npos);
  CHECK(text.find("each configuration left out, the factors above fitted again on the others: mean 1.0 %") !=
        std::string::npos);
}

TEST_CASE("a fit takes as many cells as it has parameters") {
  Evaluator evaluator;
  const auto cells = planted(evaluator, "two");
  const auto all = fit(evaluator, cells);
  REQUIRE(all);
  const auto params = all->at(0).params.size();
  REQUIRE(params > 1);
  REQUIRE(params <= cells.size());
  for (const auto count : {params - 1, params}) {
    const auto few = fit(evaluator, {cells.begin(), cells.begin() + static_cast<std::ptrdiff_t>(count)});
    REQUIRE(few);
    CHECK(few->at(0).without.empty() == (count < params));
    if (count < params) CHECK(few->at(0).before == few->at(0).after);
  }
}
