#pragma once
#include <optional>
#include <string>
#include <vector>

namespace macaw::npu {

/// A part of an inference: milliseconds with their range.
struct InferenceRow {
  std::string kind;  ///< "before", "copy_in", "cache", "npu", "cpu", "runtime", "driver", "copy_out" or "after"
  std::string name;
  std::optional<double> ms;  ///< absent: the cost is unknown, `source` says why
  double low_ms = 0, high_ms = 0;
  std::string source;
};

/// An upper bound of what a change would save.
struct InferenceSaving {
  std::string change;
  double ms = 0;
};

/// The time of a whole inference: the NPU and the work of the CPU around it.
struct Inference {
  double ms = 0, low_ms = 0, high_ms = 0;
  bool lower_bound = false;  ///< the total does not include rows without a cost
  std::string cpu;           ///< the CPU in words: "cortex-m55 at 400 MHz, cmsis-nn, gcc-O2"
  std::string basis;         ///< how the interval was derived
  std::vector<std::string> notes;
  std::vector<InferenceRow> rows;
  std::vector<InferenceSaving> savings;  ///< largest first; negligible ones are left out
};

}  // namespace macaw::npu
