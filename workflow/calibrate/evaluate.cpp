#include "workflow/calibrate/evaluate.hpp"

#include <macaw/npu/run.hpp>

#include <fmt/format.h>

#include <cmath>

namespace macaw::calibrate {
namespace {

/// How far a count is from what was measured, past what the measurement leaves open.
double off_by(double count, double measured, double resolution) {
  return count > measured ? count - measured : std::max(0.0, measured - resolution - count);
}

}  // namespace

Result<Outcome> Evaluator::run(const Cell& cell, const std::vector<std::pair<std::string, double>>& params) {
  auto found = artifacts_.find(cell.artifact);
  if (found == artifacts_.end()) {
    MACAW_ASSIGN(auto artifact, npu::load_artifact(cell.artifact));
    found = artifacts_.emplace(cell.artifact, std::move(artifact)).first;
  }
  npu::TimedOptions options = cell.options;
  options.params.insert(options.params.end(), params.begin(), params.end());
  MACAW_ASSIGN(const auto timed, npu::execute({.artifact = found->second,
                                               .accelerator = *cell.accelerator,
                                               .mode = npu::RunMode::kTiming,
                                               .options = options}));
  if (ran_) ran_();
  Outcome outcome;
  outcome.cell = &cell;
  outcome.cycles = timed.cycles;
  MACAW_ASSIGN(const auto setup, npu::resolve_setup(*cell.accelerator, npu::setup_request(options)));
  if (auto profile = npu::profile_of(*cell.accelerator, setup, timed)) outcome.profile = std::move(*profile);
  const auto cycles = static_cast<double>(timed.cycles);
  if (cell.cycles) {
    const auto& [measured, resolution, total, tolerance] = *cell.cycles;
    outcome.error = cycles / (measured - resolution / 2) - 1;
    const double off = cycles - measured;
    outcome.error_beyond_resolution =
        resolution > 0 ? std::copysign(std::max(0.0, std::abs(off) - resolution), off) / measured : outcome.error;
    if (tolerance && off_by(cycles, measured, resolution) > *tolerance * measured)
      outcome.wrong.push_back(fmt::format("{} cycles instead of {}", timed.cycles, measured));
  }
  for (const auto& expected : cell.expected) {
    const auto count = timed.pmu.counts.find("ETHOSU_PMU_" + expected.event);
    const double value = count == timed.pmu.counts.end() ? -1 : static_cast<double>(count->second);
    const auto wanted = static_cast<double>(expected.value);
    if (off_by(value, wanted, expected.resolution) > expected.tolerance * wanted)
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
