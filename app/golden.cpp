#include <fmt/format.h>
#include <fmt/ranges.h>

#include <fnmatch.h>

#include <algorithm>

#include "app/command.hpp"
#include "app/output_file.hpp"
#include "base/file.hpp"
#include "base/folder_lock.hpp"
#include "base/json_text.hpp"
#include "workflow/golden/diff.hpp"
#include "workflow/golden/outputs.hpp"
#include "workflow/golden/record.hpp"

namespace macaw::app {
namespace {

using golden::CheckedFolder;
using golden::CheckedRun;

constexpr int kSchemaVersion = 1;

struct GoldenOptions {
  std::filesystem::path folder;
  std::vector<std::string> folders, only;
  std::string reason, junit, markdown, code_quality, benchmark, badge;
  unsigned jobs = 1;
  bool force = false, json = false, keep_tensors = false, resume = false, accept_timing_model = false;
  bool update = false;  ///< keep the tensors of networks that golden.json has with tensors
};

std::string as_text(const std::vector<std::byte>& bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

/// golden.toml and the selected networks.
struct Selection {
  golden::Manifest manifest;
  std::vector<golden::Network> networks;
};

Result<Selection> select(const std::filesystem::path& folder, const std::vector<std::string>& only) {
  const auto file = folder / "golden.toml";
  MACAW_ASSIGN(const auto bytes, io::read_file(file));
  Selection selection;
  MACAW_ASSIGN(selection.manifest, golden::parse_manifest(as_text(bytes), file.string()));
  selection.networks = golden::expand(selection.manifest.networks, folder);
  if (!only.empty())
    std::erase_if(selection.networks, [&](const golden::Network& network) {
      return std::ranges::none_of(
          only, [&](const std::string& pattern) { return ::fnmatch(pattern.c_str(), network.name.c_str(), 0) == 0; });
    });
  if (selection.networks.empty()) return fail(ErrorCode::kUsage, "no network is selected", {.file = file.string()});
  return selection;
}

/// Whether a run of golden.json belongs to a network.
bool is_of(const std::string& run, const golden::Network& network) { return run.starts_with(network.name + " | "); }

Result<nlohmann::json> read_golden(const std::filesystem::path& file) {
  MACAW_ASSIGN(const auto bytes, io::read_file(file));
  MACAW_ASSIGN(auto json, io::parse_json(bytes, file.string()));
  if (!json.is_object() || json.value("schema_version", nlohmann::json()) != kSchemaVersion ||
      !json.value("runs", nlohmann::json()).is_object() || !json.value("reasons", nlohmann::json()).is_array())
    return fail(
        ErrorCode::kInvalidFile,
        fmt::format("not a golden of schema_version {}: expected an object with 'reasons' and 'runs'", kSchemaVersion),
        {.file = file.string()});
  return json;
}

/// Whether the tensors of a network were recorded with it.
bool has_tensors(const nlohmann::json& runs, const golden::Network& network) {
  return std::ranges::any_of(runs.items(), [&](const auto& run) {
    const auto& value = run.value();
    if (!is_of(run.key(), network) || !value.is_object() || !value.contains("outputs")) return false;
    return std::ranges::any_of(value["outputs"], [](const auto& o) { return o.is_object() && o.contains("zlib"); });
  });
}

/// Replaces the runs of a network in golden.json.
void take(nlohmann::json& runs, const golden::Outcome& outcome) {
  for (auto run = runs.begin(); run != runs.end();)
    run = is_of(run.key(), *outcome.network) ? runs.erase(run) : std::next(run);
  runs.update(*outcome.runs);
}

/// Adds networks to golden.json, which other processes may change at the same time.
class Recording {
 public:
  /// `resumes`: continues an interrupted recording.
  Recording(std::filesystem::path file, const GoldenOptions& options, bool resumes)
      : file_(std::move(file)), options_(options), is_first_(!resumes) {}

  /// Writes the runs of a network to the file. The first call removes existing networks, except with --only and when an
  /// interrupted recording is resumed.
  [[nodiscard]] Result<void> take_in(const golden::Outcome& outcome) {
    const io::FolderLock lock(file_.parent_path());
    const bool replaces = is_first_ && options_.only.empty();
    nlohmann::json json{
        {"schema_version", kSchemaVersion}, {"reasons", nlohmann::json::array()}, {"runs", nlohmann::json::object()}};
    if (std::filesystem::exists(file_)) {
      MACAW_ASSIGN(json, read_golden(file_));
    }
    if (replaces) json["runs"] = nlohmann::json::object();
    if (is_first_) json["reasons"].push_back(golden::recording(options_.reason, MACAW_VERSION));
    take(json["runs"], outcome);
    MACAW_CHECK(io::write_file(file_, io::json_text(json, 1) + "\n",
                               replaces ? existing(options_.force) : io::Existing::kReplaced));
    is_first_ = false;
    recorded_ += outcome.runs->size();
    in_file_ = json["runs"].size();
    return {};
  }
  /// "3 runs recorded", and the number of runs in the file if it has more.
  [[nodiscard]] std::string to_text() const {
    const auto text = fmt::format("{} run{} recorded", recorded_, recorded_ == 1 ? "" : "s");
    return in_file_ == recorded_ ? text : fmt::format("{}, {} in the file", text, in_file_);
  }

 private:
  std::filesystem::path file_;
  const GoldenOptions& options_;
  bool is_first_;
  std::size_t recorded_ = 0, in_file_ = 0;
};

/// Removes the networks that an interrupted recording with the same reason has already written to golden.json.
Result<void> keep_recorded(std::vector<golden::Network>& networks, const GoldenOptions& options,
                           const std::filesystem::path& file) {
  MACAW_ASSIGN(const auto golden, read_golden(file));
  const auto& reasons = golden["reasons"];
  if (reasons.empty() || golden::reason_of(reasons.back()) != options.reason)
    return fail(ErrorCode::kUsage, "--resume: the latest recording in it has another reason", {.file = file.string()});
  std::erase_if(networks, [&](const golden::Network& network) {
    return std::ranges::any_of(golden["runs"].items(), [&](const auto& run) { return is_of(run.key(), network); });
  });
  return {};
}

/// The first error of a network, after all others were recorded.
Result<void> record_goldens(const GoldenOptions& options) {
  const auto file = options.folder / "golden.json";
  const bool is_there = std::filesystem::exists(file);
  const bool resumes = options.resume && is_there;
  if (!resumes && (options.only.empty() || !is_there)) MACAW_CHECK(check_output(file, options.force));
  MACAW_ASSIGN(auto selection, select(options.folder, options.only));
  for (auto& network : selection.networks) network.keep_tensors = options.keep_tensors;
  if (is_there) {
    MACAW_ASSIGN(const auto golden, read_golden(file));
    for (auto& network : selection.networks)
      network.keep_tensors |= options.update && has_tensors(golden["runs"], network);
  }
  if (resumes) MACAW_CHECK(keep_recorded(selection.networks, options, file));
  Recording recording(file, options, resumes);
  Result<void> result;
  golden::record_each(selection.networks, options.folder, options.jobs, [&](const golden::Outcome& outcome) {
    if (!outcome.runs) {
      print_stdout("FAILED {}: {}\n", outcome.network->name, outcome.runs.error().to_string());
      if (result) result = tl::unexpected<Error>(outcome.runs.error());
      return;
    }
    if (const auto taken = recording.take_in(outcome); !taken) {
      if (result) result = taken;
      return;
    }
    print_stdout("recorded {}\n", outcome.network->name);
    std::fflush(stdout);
  });
  MACAW_CHECK(result);
  if (selection.networks.empty()) print_stdout("{}: all networks are recorded\n", file.string());
  else print_stdout("{}: {}\n", file.string(), recording.to_text());
  return {};
}

/// Records the networks of a folder that has a golden.json again, with tensors where they were recorded.
Result<void> update_goldens(GoldenOptions options) {
  MACAW_CHECK(read_golden(options.folder / "golden.json"));
  options.force = options.update = true;
  return record_goldens(options);
}

std::optional<std::uint64_t> cycles_of(const nlohmann::json& runs, const std::string& name) {
  if (!runs.contains(name) || !runs[name].is_object() ||
      !runs[name].value("cycles", nlohmann::json()).is_number_unsigned())
    return std::nullopt;
  return runs[name]["cycles"].get<std::uint64_t>();
}

/// Result of a network's runs; for a run that failed, its recorded result or the run itself.
Result<std::vector<CheckedRun>> checked(const nlohmann::json& stored, const golden::Outcome& outcome,
                                        const golden::Manifest& manifest) {
  auto then = nlohmann::json::object();
  for (const auto& [name, run] : stored.items())
    if (is_of(name, *outcome.network)) then[name] = run;
  std::vector<CheckedRun> runs;
  if (!outcome.runs) {
    const std::vector<std::string> lines{outcome.runs.error().to_string()};
    for (const auto& [name, run] : then.items()) runs.push_back({name, lines, cycles_of(then, name), {}, 0});
    if (runs.empty()) runs.push_back({outcome.network->name, lines, {}, {}, 0});
    return runs;
  }
  MACAW_ASSIGN(const auto diffs, golden::diff(then, *outcome.runs, manifest));
  for (const auto& diff : diffs)
    runs.push_back({diff.run, diff.lines, cycles_of(then, diff.run), cycles_of(*outcome.runs, diff.run),
                    outcome.seconds / static_cast<double>(diffs.size()), diff.only_timing_model, diff.first_wrong});
  return runs;
}

void print(const CheckedRun& run) {
  print_stdout("{} {}\n",
               run.lines.empty()       ? "OK"
               : run.only_timing_model ? "TIMING"
               : run.now               ? "CHANGED"
                                       : "FAILED",
               run.name);
  for (const auto& line : run.lines) print_stdout("  {}\n", line);
  std::fflush(stdout);
}

Result<CheckedFolder> check_folder(const GoldenOptions& options, const std::filesystem::path& folder) {
  CheckedFolder result{(folder / "golden.json").string(), {}};
  MACAW_ASSIGN(auto selection, select(folder, options.only));
  MACAW_ASSIGN(const auto stored, read_golden(folder / "golden.json"));
  const auto& goldens = stored.at("runs");
  for (auto& network : selection.networks) network.keep_tensors = has_tensors(goldens, network);
  const auto add = [&](CheckedRun run) {
    if (!options.json) print(run);
    result.runs.push_back(std::move(run));
  };
  Result<void> good;
  golden::record_each(selection.networks, folder, options.jobs, [&](const golden::Outcome& outcome) {
    auto runs = checked(goldens, outcome, selection.manifest);
    if (!runs && good) {
      auto error = runs.error();
      error.place.file = result.file;
      good = tl::unexpected<Error>(std::move(error));
    }
    if (!runs) return;
    for (auto& run : *runs) {
      run.accepted = run.only_timing_model && options.accept_timing_model;
      add(std::move(run));
    }
  });
  MACAW_CHECK(good);
  for (const auto& [name, run] : goldens.items())
    if (options.only.empty() &&
        std::ranges::none_of(selection.networks, [&, &key = name](const auto& network) { return is_of(key, network); }))
      add({name, {"missing: recorded, but no longer in golden.toml"}, cycles_of(goldens, name), {}, 0});
  std::ranges::stable_sort(result.runs, {}, &CheckedRun::name);
  return result;
}

/// The requested files with their contents.
std::vector<std::pair<std::string, std::string>> outputs(const GoldenOptions& options,
                                                         const std::vector<CheckedFolder>& folders) {
  std::vector<std::pair<std::string, std::string>> files;
  if (!options.junit.empty()) files.emplace_back(options.junit, report::junit_xml(golden::junit_suites(folders)));
  if (!options.markdown.empty()) files.emplace_back(options.markdown, golden::checked_markdown(folders));
  if (!options.code_quality.empty())
    files.emplace_back(options.code_quality, io::json_text(golden::code_quality(folders), 1) + "\n");
  if (!options.benchmark.empty())
    files.emplace_back(options.benchmark, io::json_text(golden::benchmark(folders), 1) + "\n");
  if (!options.badge.empty()) files.emplace_back(options.badge, io::json_text(golden::badge(folders), 1) + "\n");
  return files;
}

/// Whether everything matches.
Result<bool> check_goldens(const GoldenOptions& options) {
  std::vector<std::filesystem::path> files;
  for (const auto& [file, text] : outputs(options, {})) files.emplace_back(file);
  MACAW_CHECK(check_outputs(files, options.force));
  std::vector<CheckedFolder> folders;
  std::size_t by_timing_model = 0;
  for (const auto& folder : options.folders) {
    MACAW_ASSIGN(auto checked, check_folder(options, folder));
    by_timing_model += static_cast<std::size_t>(std::ranges::count_if(checked.runs, &CheckedRun::only_timing_model));
    folders.push_back(std::move(checked));
  }
  const auto count = golden::count_runs(folders);
  io::FileSet reports(existing(options.force));
  for (const auto& [file, text] : outputs(options, folders)) MACAW_CHECK(reports.add(file, text));
  MACAW_CHECK(reports.publish());
  if (options.json) print_stdout("{}\n", io::json_text(golden::checked_json(folders), 1));
  else {
    if (by_timing_model != 0)
      print_stdout(
          "{} run{} moved only as another version of the timing model explains: cycles and counters of time, with "
          "the same outputs, beats and multiply-accumulates; 'macaw golden update' records them\n",
          by_timing_model, by_timing_model == 1 ? "" : "s");
    print_stdout("{} passed, {} failed\n", count.passed, count.failed);
  }
  return count.good();
}

void add_selection(Command command, GoldenOptions& options) {
  command.add_option("--only", options.only, "networks whose name fits a pattern with * and ?; repeatable").one_value();
  command.add_option("-j,--jobs", options.jobs, "networks to run at a time, each in a process of its own (default: 1)")
      .in_range(1, 1024);
  command.add_flag("--force", options.force, "overwrite files");
}

void add_update(Command command, const std::shared_ptr<GoldenOptions>& options, int& exit_code) {
  auto update = command.add_subcommand(
      "update", "Record the networks of DIR/golden.toml anew, in place of an existing DIR/golden.json");
  update.add_option("DIR", options->folder, "folder of golden.toml and golden.json").required();
  update.add_option("--reason", options->reason, "why the goldens are recorded; kept in golden.json").required();
  update.add_option("--only", options->only, "networks whose name fits a pattern with * and ?; repeatable").one_value();
  update.add_option("-j,--jobs", options->jobs, "networks to run at a time, each in a process of its own (default: 1)")
      .in_range(1, 1024);
  update.footer(
      "Networks that were recorded with --keep-tensors keep their tensors; with --only, the others stay as they are.\n"
      "Example: macaw golden update traces --reason 'Macaw 0.2.0, timing model 2'");
  update.callback([options, &exit_code] {
    const auto done = update_goldens(*options);
    exit_code = done ? int{kOk} : report_error(done.error());
  });
}

}  // namespace

void add_golden(Command app, int& exit_code) {
  auto command = app.add_subcommand("golden", "Record outputs, counters and cycles of networks, and check them later");
  command.require_subcommand();
  command.footer(
      "DIR has golden.toml (networks x accelerators x systems, docs/FORMATS.md) and golden.json, which record "
      "writes and update replaces.\n"
      "Example: macaw golden check traces --junit golden.xml");
  auto options = std::make_shared<GoldenOptions>();

  auto record = command.add_subcommand("record", "Run the networks of DIR/golden.toml and write DIR/golden.json");
  record.add_option("DIR", options->folder, "folder of golden.toml").required();
  record.add_option("--reason", options->reason, "why the goldens are recorded; kept in golden.json").required();
  record.add_flag("--keep-tensors", options->keep_tensors,
                  "record what outputs and operations hold as well, so that check shows the values that differ");
  record.add_flag("--resume", options->resume,
                  "resume an interrupted recording of the same reason: keep the networks that it recorded");
  add_selection(record, *options);
  record.footer(
      "With --only, the other networks of golden.json stay as they are.\n"
      "Example: macaw golden record traces --reason 'conv2d rounds as the hardware does' --force");
  record.callback([options, &exit_code] {
    const auto done = record_goldens(*options);
    exit_code = done ? int{kOk} : report_error(done.error());
  });

  add_update(command, options, exit_code);

  auto check =
      command.add_subcommand("check", "Run the networks again and report what moved; exit code 1 if a run fails");
  check.add_option("DIR", options->folders, "folders of golden.toml and golden.json").required();
  check.add_option("--junit", options->junit, "write a JUnit file, a suite for each folder");
  check.add_option("--markdown", options->markdown, "write a summary, for the page of a CI job");
  check.add_option("--code-quality", options->code_quality,
                   "write a code quality report of the runs that failed, for GitLab");
  check.add_option("--benchmark", options->benchmark,
                   "write cycles as github-action-benchmark's customSmallerIsBetter");
  check.add_option("--badge", options->badge, "write a badge for the endpoint of shields.io");
  check.add_flag("--accept-timing-model", options->accept_timing_model,
                 "runs that moved only because the timing model has another version pass, in all reports");
  check.add_flag("--json", options->json, "print the result as JSON");
  add_selection(check, *options);
  check.footer("Example: macaw golden check traces");
  check.callback([options, &exit_code] {
    const auto same = check_goldens(*options);
    exit_code = !same ? report_error(same.error()) : *same ? int{kOk} : int{kMismatch};
  });
}

}  // namespace macaw::app
