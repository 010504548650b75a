#pragma once
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "workflow/golden/manifest.hpp"

namespace macaw::golden {

/// A run and its changes, one self-contained line each; no lines: unchanged.
struct RunDiff {
  std::string run;
  std::vector<std::string> lines;
  /// Only cycles, the time of the whole inference and time counters changed, and the golden was recorded with another
  /// version of the timing model. Outputs, beats, multiply-accumulate cycles and operations are as recorded.
  bool only_timing_model = false;
  /// The first operation whose result changed, "stream 0 command 54 NPU_OP_CONV, CONV2D 'conv'"; empty: none.
  std::string first_wrong = {};
};

/// Compares a recorded result of record() with a new one. A run that exists on one side only is a difference. Numbers
/// may change within the manifest's tolerances, hashes must not change.
///
/// Errors: kInvalidFile with the name of the run if `golden` does not have the form that record() writes.
[[nodiscard]] Result<std::vector<RunDiff>> diff(const nlohmann::json& golden, const nlohmann::json& now,
                                                const Manifest& manifest);

}  // namespace macaw::golden
