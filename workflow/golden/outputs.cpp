#include "workflow/golden/outputs.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <span>

#include "base/crc32.hpp"

namespace macaw::golden {
namespace {

using Json = nlohmann::json;

Json optional(const std::optional<std::uint64_t>& value) { return value ? Json(*value) : Json(); }

std::string text_of(const CheckedRun& run) { return fmt::format("{}", fmt::join(run.lines, "\n")); }

std::string change(const CheckedRun& run) {
  if (!run.then || !run.now) return {};
  const auto difference = static_cast<std::int64_t>(*run.now) - static_cast<std::int64_t>(*run.then);
  if (difference == 0 || *run.then == 0) return fmt::format("{:+}", difference);
  return fmt::format("{:+} ({:+.2f} %)", difference,
                     100 * static_cast<double>(difference) / static_cast<double>(*run.then));
}

/// For a cell of a table, and for a line of a list.
std::string escaped(const std::string& text) {
  std::string out;
  for (const char c : text) {
    if (c == '|' || c == '<' || c == '*' || c == '_' || c == '`') out += '\\';
    out += c == '\n' ? ' ' : c;
  }
  return out;
}

std::string fingerprint(const std::string& text) {
  return fmt::format("{:08x}", io::crc32(std::as_bytes(std::span(text))));
}

/// A run in the table of a summary.
std::string_view state_of(const CheckedRun& run) {
  if (run.lines.empty()) return "same";
  if (run.accepted) return "accepted: timing model";
  return run.only_timing_model ? "**failed**: timing model" : "**failed**";
}

}  // namespace

CheckedCount count_runs(const std::vector<CheckedFolder>& folders) {
  CheckedCount count;
  for (const auto& folder : folders)
    for (const auto& run : folder.runs) ++(run.passed() ? count.passed : count.failed);
  return count;
}

Json checked_json(const std::vector<CheckedFolder>& folders) {
  const auto [passed, failed] = count_runs(folders);
  Json json{{"schema_version", 1}, {"passed", passed}, {"failed", failed}, {"runs", Json::array()}};
  for (const auto& folder : folders)
    for (const auto& run : folder.runs)
      json["runs"].push_back({{"file", folder.file},
                              {"name", run.name},
                              {"passed", run.passed()},
                              {"accepted", run.accepted},
                              {"only_timing_model", run.only_timing_model},
                              {"moved", run.lines},
                              {"first_wrong", run.first_wrong},
                              {"golden_cycles", optional(run.then)},
                              {"cycles", optional(run.now)}});
  return json;
}

std::string checked_markdown(const std::vector<CheckedFolder>& folders) {
  const auto [passed, failed] = count_runs(folders);
  auto text = fmt::format("### Macaw goldens: {} passed, {} failed\n\n", passed, failed);
  text +=
      "| run | | golden cycles | cycles | change | first operation that writes other bytes "
      "|\n|---|---|--:|--:|--:|---|\n";
  const auto cell = [](const auto& value) { return value ? fmt::format("{}", *value) : std::string(); };
  for (const bool failures : {true, false})
    for (const auto& folder : folders)
      for (const auto& run : folder.runs)
        if (run.passed() != failures)
          text += fmt::format("| {} | {} | {} | {} | {} | {} |\n", escaped(run.name), state_of(run), cell(run.then),
                              cell(run.now), change(run), escaped(run.first_wrong));
  for (const auto& folder : folders)
    for (const auto& run : folder.runs) {
      if (run.lines.empty()) continue;
      text += fmt::format("\n**{}**\n\n", escaped(run.name));
      for (const auto& line : run.lines) text += fmt::format("- {}\n", escaped(line));
    }
  return text;
}

Json badge(const std::vector<CheckedFolder>& folders) {
  const auto count = count_runs(folders);
  std::string message = "no runs";
  if (count.good()) message = fmt::format("{} passed", count.passed);
  if (count.failed != 0) message = fmt::format("{} of {} failed", count.failed, count.passed + count.failed);
  return {{"schemaVersion", 1},
          {"label", "Ethos-U goldens"},
          {"message", message},
          {"color", count.good() ? "brightgreen" : "red"},
          {"isError", !count.good()}};
}

Json code_quality(const std::vector<CheckedFolder>& folders) {
  Json json = Json::array();
  for (const auto& folder : folders)
    for (const auto& run : folder.runs) {
      if (run.passed()) continue;
      json.push_back({{"description", fmt::format("{}: {}", run.name, fmt::join(run.lines, "; "))},
                      {"check_name", "macaw-golden"},
                      {"fingerprint", fingerprint(folder.file + run.name + text_of(run))},
                      {"severity", run.only_timing_model ? "minor"
                                   : run.now             ? "major"
                                                         : "critical"},
                      {"location", {{"path", folder.file}, {"lines", {{"begin", 1}}}}}});
    }
  return json;
}

Json benchmark(const std::vector<CheckedFolder>& folders) {
  Json json = Json::array();
  for (const auto& folder : folders)
    for (const auto& run : folder.runs)
      if (run.now) json.push_back({{"name", run.name}, {"unit", "cycles"}, {"value", *run.now}});
  return json;
}

std::vector<report::JunitSuite> junit_suites(const std::vector<CheckedFolder>& folders) {
  std::vector<report::JunitSuite> suites;
  for (const auto& folder : folders) {
    suites.push_back({"macaw golden " + folder.file, {}});
    auto& suite = suites.back();
    for (const auto& run : folder.runs) {
      suite.cases.push_back({"macaw.golden", run.name, run.passed() ? std::string() : text_of(run), {}, run.seconds});
      if (run.accepted) suite.output += fmt::format("accepted: {}\n{}\n", run.name, text_of(run));
    }
  }
  return suites;
}

}  // namespace macaw::golden
