#include "workflow/sweep/run_study.hpp"

#include <set>

#include <nlohmann/json.hpp>

#include "base/file.hpp"
#include "base/json_text.hpp"
#include "workflow/run/processes.hpp"
#include "workflow/sweep/file_lock.hpp"

namespace macaw::sweep {
namespace {

namespace fs = std::filesystem;

fs::path result_file(const fs::path& folder, const Run& run) { return folder / "results" / (run.id + ".json"); }

bool is_done(const fs::path& folder, const Run& run) {
  if (!fs::exists(result_file(folder, run))) return false;
  const auto result = read_result(folder, run);
  return result && !result->contains(kAgain);
}

Result<void> write_result(const fs::path& folder, const Run& run, const nlohmann::json& result) {
  return io::write_file(result_file(folder, run), io::json_text(result, 1) + "\n");
}

bool has_results(const fs::path& folder) {
  std::error_code none;
  const fs::directory_iterator files(folder / "results", none);
  return !none && files != fs::directory_iterator{};
}

/// Held by all that write into a study's folder.
FileLock lock_of(const fs::path& folder) { return {folder / "lock", FileLock::Kind::kShared}; }

/// Removes what killed processes have left half written, unless another process writes there, which may be its owner.
void remove_temporaries(const FileLock& lock, const fs::path& folder) {
  lock.if_alone([&] {
    for (const auto* part : {"results", "artifacts"}) {
      std::error_code none;
      for (const auto& file : fs::directory_iterator(folder / part, none))
        if (file.path().extension() != ".json" && file.path().extension() != ".npz") fs::remove(file.path(), none);
    }
  });
}

/// The first run of each artifact before all others, so that no worker waits for another to make one.
std::vector<const Run*> with_artifacts_first(const std::vector<const Run*>& runs) {
  std::vector<const Run*> first, others;
  std::set<std::string> seen;
  for (const auto* run : runs)
    (!run->compile.empty() && seen.insert(artifact_key(*run)).second ? first : others).push_back(run);
  first.insert(first.end(), others.begin(), others.end());
  return first;
}

}  // namespace

Result<nlohmann::json> read_result(const fs::path& folder, const Run& run) {
  const auto file = result_file(folder, run);
  if (!fs::exists(file)) return failed(run, "missing (not run)", true);
  MACAW_ASSIGN(const auto bytes, io::read_file(file));
  MACAW_ASSIGN(auto result, io::parse_json(bytes, file.string()));
  if (!result.is_object() || result.value("id", nlohmann::json()) != run.id ||
      (!result.contains("error") && !result.value("cycles", nlohmann::json()).is_number_unsigned()))
    return fail(ErrorCode::kInvalidFile, "not a result of this study's run", {.file = file.string()});
  return result;
}

Result<void> take_results(const Plan& plan, const std::vector<std::string>& from, const fs::path& folder) {
  for (const fs::path other : from)
    if (!has_results(other))
      return fail(ErrorCode::kInvalidFile, "not the folder of a shard: there are no results in it",
                  {.file = other.string()});
  MACAW_CHECK(io::make_directory(folder / "results"));
  const auto lock = lock_of(folder);
  for (const fs::path other : from)
    for (const auto& run : plan.runs) {
      if (is_done(folder, run) || !fs::exists(result_file(other, run))) continue;
      MACAW_ASSIGN(const auto result, read_result(other, run));
      MACAW_CHECK(write_result(folder, run, result));
    }
  remove_temporaries(lock, folder);
  return {};
}

Result<Totals> run_study(const Study& study, const Plan& plan, const fs::path& folder, const RunOptions& options) {
  if (!options.resume && has_results(folder))
    return fail(ErrorCode::kUsage, "holds results already; --resume goes on with them", {.file = folder.string()});
  MACAW_CHECK(io::make_directory(folder / "results"));
  const auto lock = lock_of(folder);
  Totals totals;
  std::vector<const Run*> todo;
  for (std::size_t i = 0; i < plan.runs.size(); ++i) {
    const auto& run = plan.runs[i];
    if (!options.shard.has(i)) continue;
    if (!is_done(folder, run)) {
      todo.push_back(&run);
      continue;
    }
    ++totals.kept;
    MACAW_ASSIGN(const auto result, read_result(folder, run));
    totals.failed += result.contains("error");
  }
  todo = with_artifacts_first(todo);
  MACAW_CHECK(run::run_in_processes(
      todo.size(), {.jobs = options.jobs, .limits = study.limits},
      [&](std::size_t i) {
        (void)write_result(folder, *todo[i], simulate(*todo[i], folder / "artifacts", options.tools));
        return std::string();
      },
      [&](std::size_t i, const run::ProcessEnd& end) -> Result<void> {
        const auto& run = *todo[i];
        auto reason = end.error;
        if (reason.empty() && !fs::exists(result_file(folder, run))) reason = "its result could not be written";
        if (!reason.empty()) {
          MACAW_CHECK(write_result(folder, run, failed(run, reason, true)));
        } else if (const auto result = read_result(folder, run); result && result->contains("error")) {
          reason = result->at("error").get<std::string>();
        }
        totals.failed += !reason.empty();
        ++totals.done;
        if (options.progress) options.progress(totals.done, todo.size(), run, reason);
        return {};
      }));
  remove_temporaries(lock, folder);
  return totals;
}

}  // namespace macaw::sweep
