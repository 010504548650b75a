#include "workflow/sequence/figures.hpp"

#include <algorithm>
#include <numeric>

namespace macaw::sequence {
namespace {

double mean_of(const std::vector<std::uint64_t>& cycles) {
  double sum = 0;
  for (const auto step : cycles) sum += static_cast<double>(step);
  return sum / static_cast<double>(cycles.size());
}

/// Slope of the straight line through the steps by least squares.
double slope(const std::vector<std::uint64_t>& cycles) {
  const double middle = static_cast<double>(cycles.size() - 1) / 2, mean = mean_of(cycles);
  double products = 0, squares = 0;
  for (std::size_t i = 0; i < cycles.size(); ++i) {
    const double distance = static_cast<double>(i) - middle;
    products += distance * (static_cast<double>(cycles[i]) - mean);
    squares += distance * distance;
  }
  return squares == 0 ? 0 : products / squares;
}

/// Whether an operator of the CPU has no known cost, or none was predicted.
bool has_unknown_cost(const npu::RunRecord& record) {
  if (!record.inference) return !record.host_operators.empty();
  return std::ranges::any_of(record.inference->rows, [](const npu::InferenceRow& row) { return !row.ms; });
}

}  // namespace

std::optional<npu::SequenceCycles> cycles_over_steps(std::vector<std::uint64_t> steps) {
  if (steps.empty()) return std::nullopt;
  npu::SequenceCycles cycles{.trend = slope(steps), .steps = steps};
  std::ranges::sort(steps);
  cycles.min = steps.front();
  cycles.median = steps[(steps.size() - 1) / 2];
  cycles.max = steps.back();
  return cycles;
}

npu::Sequence figures(const Summary& summary, const npu::RunRecord& record, const std::vector<std::uint64_t>& cycles) {
  npu::Sequence sequence{.steps = summary.steps,
                         .host_operators = record.host_operators.size(),
                         .cycles = cycles_over_steps(cycles),
                         .steps_per_second = {},
                         .energy = {},
                         .score = summary.score};
  if (!sequence.cycles || record.clock_hz <= 0 || has_unknown_cost(record)) return sequence;
  double cpu_seconds = 0;
  if (record.inference) cpu_seconds = std::max(0.0, 1e-3 * record.inference->ms - record.seconds());
  const double seconds = mean_of(cycles) / record.clock_hz + cpu_seconds;
  if (seconds > 0) sequence.steps_per_second = 1 / seconds;
  return sequence;
}

}  // namespace macaw::sequence
