#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "workflow/report/junit.hpp"

namespace macaw::golden {

/// One run of `macaw golden check`.
struct CheckedRun {
  std::string name;
  std::vector<std::string> lines;          ///< what moved, or why it could not be run; none: nothing
  std::optional<std::uint64_t> then, now;  ///< cycles
  double seconds = 0;
  bool only_timing_model = false;  ///< what moved is explained by another version of the timing model
};

/// The runs of one folder.
struct CheckedFolder {
  std::string file;  ///< its golden.json
  std::vector<CheckedRun> runs;
};

[[nodiscard]] nlohmann::json checked_json(const std::vector<CheckedFolder>& folders);
/// A summary for the page of a CI job.
[[nodiscard]] std::string checked_markdown(const std::vector<CheckedFolder>& folders);
/// GitLab's code quality report (docs.gitlab.com, "Code Quality report format").
[[nodiscard]] nlohmann::json code_quality(const std::vector<CheckedFolder>& folders);
/// "customSmallerIsBetter" of benchmark-action/github-action-benchmark: the cycles of every run that there was.
[[nodiscard]] nlohmann::json benchmark(const std::vector<CheckedFolder>& folders);
[[nodiscard]] std::vector<report::JunitSuite> junit_suites(const std::vector<CheckedFolder>& folders);

}  // namespace macaw::golden
