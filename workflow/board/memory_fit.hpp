#pragma once
#include <string>
#include <vector>

#include "workflow/calibrate/evaluate.hpp"

namespace macaw::board {

/// A field of the memory behind one port, as the runs say that it is.
struct FittedField {
  std::string name;          ///< "axi1.read_latency"
  double value = 0;          ///< 0: no limit, or none that shows
  double low = 0, high = 0;  ///< in nine of ten cases it lies between these
  bool known = false;        ///< the runs tell it; otherwise value is one that fits, among others
  std::string alike = {};    ///< a field that the runs cannot tell it from
  std::string ask = {};      ///< a run that was not made and would tell; empty: none of those listed
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
