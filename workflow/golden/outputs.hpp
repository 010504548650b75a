#pragma once
#include <cstddef>
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
  std::vector<std::string> lines;          ///< changes, or why it could not be run; empty: unchanged
  std::optional<std::uint64_t> then, now;  ///< cycles
  double seconds = 0;
  bool only_timing_model = false;  ///< the changes are explained by another version of the timing model
  std::string first_wrong = {};    ///< the first operation whose result changed; empty: none
  bool accepted = false;           ///< the changes do not make the check fail (--accept-timing-model)

  [[nodiscard]] bool passed() const { return lines.empty() || accepted; }
};

/// The runs of one folder.
struct CheckedFolder {
  std::string file;  ///< its golden.json
  std::vector<CheckedRun> runs;
};

/// Counts of a check, from which the exit code and all reports are derived.
struct CheckedCount {
  std::size_t passed = 0, failed = 0;

  /// A check without runs does not pass.
  [[nodiscard]] bool good() const { return failed == 0 && passed != 0; }
};
[[nodiscard]] CheckedCount count_runs(const std::vector<CheckedFolder>& folders);

[[nodiscard]] nlohmann::json checked_json(const std::vector<CheckedFolder>& folders);
/// A badge by the endpoint of shields.io (shields.io/badges/endpoint-badge).
[[nodiscard]] nlohmann::json badge(const std::vector<CheckedFolder>& folders);
/// A summary for the page of a CI job, or a comment on a pull request.
[[nodiscard]] std::string checked_markdown(const std::vector<CheckedFolder>& folders);
/// The runs that failed as GitLab's code quality report (docs.gitlab.com, "Code Quality report format").
[[nodiscard]] nlohmann::json code_quality(const std::vector<CheckedFolder>& folders);
/// "customSmallerIsBetter" of benchmark-action/github-action-benchmark: the cycles of every run.
[[nodiscard]] nlohmann::json benchmark(const std::vector<CheckedFolder>& folders);
[[nodiscard]] std::vector<report::JunitSuite> junit_suites(const std::vector<CheckedFolder>& folders);

}  // namespace macaw::golden
