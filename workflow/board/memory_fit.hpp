#pragma once
#include <string>
#include <vector>

#include "workflow/calibrate/evaluate.hpp"

namespace macaw::board {

/// A field of the memory behind one port, fitted to the runs.
struct FittedField {
  std::string name;          ///< "axi1.read_latency"
  double value = 0;          ///< 0: no limit, or none that the runs reveal
  double low = 0, high = 0;  ///< 90 % interval
  bool known = false;        ///< determined by the runs; otherwise `value` is one of several that fit equally well
  std::string indistinguishable_from = {};  ///< a field that the runs cannot separate from it
  std::string suggested_run = {};  ///< a missing run that would determine it; empty: none of the listed ones would
};

struct FittedRun {
  const calibrate::Cell* cell = nullptr;
  std::uint64_t cycles = 0;
  double error = 0;  ///< relative
};

struct MemoryFit {
  std::vector<FittedField> fields;  ///< those that at least one run depends on
  std::vector<FittedRun> runs;      ///< that were made
};

/// Fits memory parameters to the measured cycles of runs: bounded least squares of the relative errors from several
/// starts, over the fields of both ports that affect any run. Deterministic.
///
/// Errors: those of the runs; kInvalidFile if there are not more runs than fields.
[[nodiscard]] Result<MemoryFit> fit_memory(calibrate::Evaluator& evaluator, const std::vector<calibrate::Cell>& cells);

}  // namespace macaw::board
