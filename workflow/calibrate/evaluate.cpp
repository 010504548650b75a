#include "workflow/calibrate/evaluate.hpp"

#include <fmt/format.h>

#include <cmath>

namespace macaw::calibrate {
namespace {

constexpr double kGrid = 1000;  // steps of TOTAL on the virtual platform

}  // namespace

Result<Outcome> Evaluator::run(const Cell& cell, const std::vector<std::pair<std::string, double>>& params) {
  auto found = artifacts_.find(cell.artifact);
  if (found == artifacts_.end()) {
    MACAW_ASSIGN(auto artifact, npu::load_artifact(cell.artifact));
    found = artifacts_.emplace(cell.artifact, std::move(artifact)).first;
  }
  npu::TimedOptions options = cell.options;
  options.params.insert(options.params.end(), params.begin(), params.end());
  MACAW_ASSIGN(const auto timed, npu::run_timed(found->second, *cell.accelerator, {}, options));
  if (ran_) ran_();
  Outcome outcome;
  outcome.cell = &cell;
  outcome.cycles = timed.cycles;
  const auto cycles = static_cast<double>(timed.cycles);
  if (cell.cycles) {
    outcome.error = cycles / (*cell.cycles - (cell.coarse ? kGrid / 2 : 0)) - 1;
    const double off = cycles - *cell.cycles;
    outcome.beyond_grid =
        cell.coarse ? std::copysign(std::max(0.0, std::abs(off) - kGrid), off) / *cell.cycles : outcome.error;
  }
  for (const auto& expected : cell.expected) {
    const auto count = timed.pmu.counts.find("ETHOSU_PMU_" + expected.event);
    const double value = count == timed.pmu.counts.end() ? -1 : static_cast<double>(count->second);
    const auto wanted = static_cast<double>(expected.value);
    if (std::abs(value - wanted) > expected.tolerance * wanted)
      outcome.wrong.push_back(fmt::format("{} {} instead of {}", expected.event, value, expected.value));
  }
  return outcome;
}

Result<std::vector<Outcome>> run_all(Evaluator& evaluator, const std::vector<Cell>& cells) {
  std::vector<Outcome> outcomes;
  for (const auto& cell : cells) {
    auto outcome = evaluator.run(cell);
    if (!outcome) {
      Error error = outcome.error();
      error.message = cell.id + ": " + error.message;
      return tl::unexpected<Error>(std::move(error));
    }
    outcomes.push_back(std::move(*outcome));
  }
  return outcomes;
}

Summary summarise(const std::vector<const Outcome*>& outcomes, double Outcome::*error) {
  Summary summary;
  for (const auto* outcome : outcomes) {
    if (!outcome->cell->cycles) continue;
    const double size = std::abs(outcome->*error);
    ++summary.cells;
    summary.mean += size;
    if (summary.worst_cell == nullptr || size > summary.worst) {
      summary.worst = size;
      summary.worst_cell = outcome->cell;
    }
  }
  if (summary.cells) summary.mean /= static_cast<double>(summary.cells);
  return summary;
}

}  // namespace macaw::calibrate
