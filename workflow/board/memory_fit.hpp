#pragma once
#include <string>
#include <vector>

#include "workflow/calibrate/evaluate.hpp"

namespace macaw::board {

/// A field of the memory behind one port, fitted to the runs.
struct FittedField {
  std::string name;          ///< "axi1.read_latency"
  double value = 0;          ///< 0: no limit, or none that the runs show
  double low = 0, high = 0;  ///< 90 % interval
  bool known = false;        ///< determined by the runs; otherwise `value` is one of several that fit
  std::string alike = {};    ///< a field with which the runs confuse it
  std::string ask = {};      ///< a run that is missing and would determine it; empty: none of those listed
};

struct FittedRun {
  const calibrate::Cell* cell = nullptr;
  std::uint64_t cycles = 0;
  double error = 0;  ///< relative
};

struct MemoryFit {
  std::vector<FittedField> fields;  ///< those that any run depends on
  std::vector<FittedRun> runs;      ///< that were made
};

/// Memory parameters that reproduce the measured cycles of runs: bounded least squares of the relative errors
/// from several starts, over the fields of both ports that matter to any of the runs. The same every time.
///
/// Errors: those of the runs; kInvalidFile if no more runs were made than fields matter.
[[nodiscard]] Result<MemoryFit> fit_memory(calibrate::Evaluator& evaluator, const std::vector<calibrate::Cell>& cells);

}  // namespace macaw::board
