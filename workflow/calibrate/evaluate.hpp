#pragma once
#include <functional>

#include "workflow/calibrate/measurements.hpp"

namespace macaw::calibrate {

struct Outcome {
  const Cell* cell = nullptr;
  std::uint64_t cycles = 0;
  double error = 0;                ///< of NPU_ACTIVE, relative; a coarse figure counts as 500 less than it says
  double beyond_grid = 0;          ///< the same after the 1000 cycles that a coarse figure may be off
  std::vector<std::string> wrong;  ///< counters that differ from the expected ones
};

/// Runs cells without values; artifacts are read once.
class Evaluator {
 public:
  /// `ran` is called after each run.
  explicit Evaluator(std::function<void()> ran = {}) : ran_(std::move(ran)) {}

  /// `params` override constants for all accelerators that have them.
  [[nodiscard]] Result<Outcome> run(const Cell& cell, const std::vector<std::pair<std::string, double>>& params = {});

 private:
  std::function<void()> ran_;
  std::map<std::filesystem::path, npu::Artifact> artifacts_;
};

[[nodiscard]] Result<std::vector<Outcome>> run_all(Evaluator& evaluator, const std::vector<Cell>& cells);

/// Mean and largest |error| of outcomes that have one.
struct Summary {
  std::size_t cells = 0;
  double mean = 0, worst = 0;
  const Cell* worst_cell = nullptr;
};
[[nodiscard]] Summary summarise(const std::vector<const Outcome*>& outcomes, double Outcome::*error = &Outcome::error);

}  // namespace macaw::calibrate
