#pragma once
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "workflow/golden/manifest.hpp"

namespace macaw::golden {

/// One run and what moved in it, a line each, readable on its own; no lines: nothing did.
struct RunDiff {
  std::string run;
  std::vector<std::string> lines;
  /// Only cycles, the time of the whole inference and counters of time moved, and the golden is of another version of
  /// the timing model. Outputs, beats, multiply-accumulate cycles and operations are as recorded.
  bool only_timing_model = false;
  /// The first operation that wrote other bytes, "stream 0 command 54 NPU_OP_CONV, CONV2D 'conv'"; empty: none did.
  std::string first_wrong = {};
};

/// Compares what record() gave then and gives now. A run that only one side has is a difference. Numbers may move by
/// the manifest's tolerances, hashes never.
///
/// Errors: kInvalidFile with the name of the run if `golden` does not have the form that record() writes.
[[nodiscard]] Result<std::vector<RunDiff>> diff(const nlohmann::json& golden, const nlohmann::json& now,
                                                const Manifest& manifest);

}  // namespace macaw::golden
