#pragma once
#include <functional>

#include "workflow/sweep/plan.hpp"
#include "workflow/sweep/simulate.hpp"

namespace macaw::sweep {

/// Part of a plan: of `count` machines the one with `index` from 0 takes every run whose place leaves that remainder.
struct Shard {
  std::size_t index = 0, count = 1;

  [[nodiscard]] bool has(std::size_t place) const { return place % count == index; }
};

struct RunOptions {
  unsigned jobs = 1;
  Shard shard = {};
  bool resume = false;  ///< keep the finished runs of the folder
  Tools tools = {};
  /// Called as runs end: runs that are done, runs to do in all, the run, and its error if it has one.
  std::function<void(std::size_t, std::size_t, const Run&, const std::string&)> progress = {};
};

/// Runs of a shard: done now, done before, and those of both that failed.
struct Totals {
  std::size_t done = 0, kept = 0, failed = 0;
};

/// Runs a plan, each run in a process of its own, and leaves one file for each in FOLDER/results, whole or not at all.
/// A run that is killed or exceeds its limits fails alone; it is run again when the study is resumed. kUsage for a
/// folder that holds results, unless resumed.
[[nodiscard]] Result<Totals> run_study(const Study& study, const Plan& plan, const std::filesystem::path& folder,
                                       const RunOptions& options);

/// The result of a run in FOLDER/results; one that says so where there is none. kInvalidFile for a file that is not
/// one.
[[nodiscard]] Result<nlohmann::json> read_result(const std::filesystem::path& folder, const Run& run);

/// Copies results of the plan that folders of other shards have and `folder` has not. kInvalidFile for a folder without
/// results, before anything is copied.
[[nodiscard]] Result<void> take_results(const Plan& plan, const std::vector<std::string>& from,
                                        const std::filesystem::path& folder);

}  // namespace macaw::sweep
