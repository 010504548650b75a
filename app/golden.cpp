#include <fmt/format.h>

#include "app/command.hpp"
#include "app/output_file.hpp"
#include "base/file.hpp"
#include "base/json_text.hpp"
#include "workflow/golden/diff.hpp"
#include "workflow/golden/record.hpp"
#include "workflow/report/junit.hpp"
#include "workflow/report/progress.hpp"

namespace macaw::app {
namespace {

constexpr int kSchemaVersion = 1;

struct Options {
  std::filesystem::path folder;
  std::string reason, junit;
  bool force = false;
};

std::string as_text(const std::vector<std::byte>& bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

Result<golden::Manifest> read_manifest(const std::filesystem::path& folder) {
  const auto file = folder / "golden.toml";
  MACAW_ASSIGN(const auto bytes, io::read_file(file));
  return golden::parse_manifest(as_text(bytes), file.string());
}

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

Result<nlohmann::json> run_networks(const golden::Manifest& manifest, const std::filesystem::path& folder) {
  report::Progress progress("golden", "runs");
  return golden::record(manifest, folder, {}, [&] { progress.add(); });
}

Result<void> record_goldens(const Options& options) {
  const auto file = options.folder / "golden.json";
  MACAW_CHECK(check_output(file, options.force));
  MACAW_ASSIGN(const auto manifest, read_manifest(options.folder));
  auto reasons = nlohmann::json::array();
  if (std::filesystem::exists(file)) {
    MACAW_ASSIGN(const auto old, read_golden(file));
    reasons = old.at("reasons");
  }
  reasons.push_back(options.reason);
  MACAW_ASSIGN(const auto runs, run_networks(manifest, options.folder));
  const nlohmann::json json{{"schema_version", kSchemaVersion}, {"reasons", reasons}, {"runs", runs}};
  MACAW_CHECK(io::write_file(file, io::json_text(json, 1) + "\n"));
  fmt::print("{}: {} runs recorded\n", file.string(), runs.size());
  return {};
}

/// Whether everything agrees.
Result<bool> check_goldens(const Options& options) {
  if (!options.junit.empty()) MACAW_CHECK(check_output(options.junit, options.force));
  MACAW_ASSIGN(const auto manifest, read_manifest(options.folder));
  MACAW_ASSIGN(const auto stored, read_golden(options.folder / "golden.json"));
  MACAW_ASSIGN(const auto runs, run_networks(manifest, options.folder));
  MACAW_ASSIGN(const auto diffs, golden::diff(stored.at("runs"), runs, manifest));
  std::size_t failed = 0;
  std::vector<report::JunitCase> junit;
  for (const auto& [run, lines] : diffs) {
    fmt::print("{} {}\n", lines.empty() ? "same" : "MOVED", run);
    for (const auto& line : lines) fmt::print("  {}\n", line);
    failed += !lines.empty();
    junit.push_back({"macaw.golden", run, fmt::format("{}", fmt::join(lines, "\n")), {}});
  }
  if (!options.junit.empty()) MACAW_CHECK(io::write_file(options.junit, report::junit_xml("macaw golden", junit)));
  fmt::print("{} passed, {} failed\n", diffs.size() - failed, failed);
  return failed == 0 && !diffs.empty();
}

}  // namespace

void add_golden(Command app, int& exit_code) {
  auto command = app.add_subcommand("golden", "Record outputs, counters and cycles of networks, and check them later");
  command.require_subcommand();
  command.footer(
      "DIR holds golden.toml (networks x accelerators x systems, docs/FORMATS.md) and golden.json, which record "
      "writes.\n"
      "Example: macaw golden check traces --junit golden.xml");
  auto options = std::make_shared<Options>();

  auto record = command.add_subcommand("record", "Run the networks of DIR/golden.toml and write DIR/golden.json");
  record.add_option("DIR", options->folder, "folder of golden.toml").required();
  record.add_option("--reason", options->reason, "why the goldens are recorded; kept in golden.json").required();
  record.add_flag("--force", options->force, "overwrite golden.json");
  record.footer("Example: macaw golden record traces --reason 'conv2d rounds as the hardware does' --force");
  record.callback([options, &exit_code] {
    const auto done = record_goldens(*options);
    exit_code = done ? int{kOk} : report_error(done.error());
  });

  auto check = command.add_subcommand("check", "Run them again and say what moved; exit code 1 if anything did");
  check.add_option("DIR", options->folder, "folder of golden.toml and golden.json").required();
  check.add_option("--junit", options->junit, "write a JUnit file");
  check.add_flag("--force", options->force, "overwrite the file of --junit");
  check.footer("Example: macaw golden check traces");
  check.callback([options, &exit_code] {
    const auto same = check_goldens(*options);
    exit_code = !same ? report_error(same.error()) : *same ? int{kOk} : int{kMismatch};
  });
}

}  // namespace macaw::app
