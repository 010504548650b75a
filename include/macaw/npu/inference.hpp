#pragma once
#include <optional>
#include <string>
#include <vector>

namespace macaw::npu {

/// A part of an inference: milliseconds with the range that they are in.
struct InferenceRow {
  std::string kind;  ///< "before", "copy_in", "cache", "npu", "cpu", "runtime", "driver", "copy_out" or "after"
  std::string name;
  std::optional<double> ms;  ///< absent: no cost is known, `source` says why
  double low_ms = 0, high_ms = 0;
  std::string source;
};

/// The most that a change would save.
struct InferenceSaving {
  std::string change;
  double ms = 0;
};

/// The time of a whole inference: the NPU and what the CPU does around it.
struct Inference {
  double ms = 0, low_ms = 0, high_ms = 0;
  bool lower_bound = false;  ///< rows without a cost are missing in the total
  std::string cpu;           ///< the CPU in words: "cortex-m55 at 400 MHz, cmsis-nn, gcc-O2"
  std::string basis;         ///< how the interval was made
  std::vector<std::string> notes;
  std::vector<InferenceRow> rows;
  std::vector<InferenceSaving> savings;  ///< most first; those that matter
};

}  // namespace macaw::npu
