#pragma once
#include <functional>
#include <map>

#include "sim/config/intervals.hpp"
#include "workflow/calibrate/measurements.hpp"

namespace macaw::calibrate {

struct Outcome {
  const Cell* cell = nullptr;
  std::uint64_t cycles = 0;
  double error = 0;  ///< relative error of the cycles, against the middle of the measurement's resolution
  double error_beyond_resolution = 0;      ///< relative error beyond the resolution of the measured cycles
  std::optional<npu::RunProfile> profile;  ///< none: its system has no intervals
  std::vector<std::string> wrong;          ///< counters outside their tolerance, as text
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
