#include <fmt/format.h>

#include <algorithm>
#include <set>

#include <macaw/npy.hpp>

#include "tests/tools/dev/check/json_access.hpp"
#include "tests/tools/dev/check/tosa.hpp"

// Folders of tests as Arm's test runner has them (verif/runner of the reference model), one desc.json each. What a
// graph must give lies beside it, in the files of expected_result_file or else of ofm_file; or, where the runner wrote
// them, under these names with ".runner.tosa_refmodel_sut_run" before the last dot.

namespace macaw::app::check {
namespace {

std::filesystem::path result_file(const std::filesystem::path& folder, const std::filesystem::path& name) {
  const auto written = name.stem().string() + ".runner.tosa_refmodel_sut_run" + name.extension().string();
  return folder / (std::filesystem::exists(folder / name) ? name : std::filesystem::path(written));
}

Result<void> judge_output(const Tensor& output, const std::string& name, const std::filesystem::path& expected) {
  MACAW_ASSIGN(const auto compliance, default_compliance(output.dtype()));
  MACAW_ASSIGN(const auto reference, tosa::read_judged(expected, output.dtype()));
  MACAW_ASSIGN(const auto judgement, tosa::judge(output, tosa::as_reference(reference), nullptr, compliance));
  if (judgement.compliant) return {};
  return fail(ErrorCode::kMismatch, fmt::format("output '{}': {}", name, judgement.text));
}

Result<void> run_test(const std::filesystem::path& folder, const std::vector<std::string>& expected_files) {
  MACAW_ASSIGN(const auto description, tosa::read_description(folder / "desc.json"));
  MACAW_ASSIGN(const auto run, run_to_verdict(description, description.expected_failure ? "ERROR" : "VALID"));
  for (std::size_t i = 0; i < run.outputs.size(); ++i) {
    const auto& [name, output] = run.outputs[i];
    if (i >= expected_files.size())
      return fail(ErrorCode::kInvalidFile, fmt::format("no expected file for output '{}'", name));
    MACAW_CHECK(judge_output(output, name, result_file(folder, expected_files[i])));
  }
  return {};
}

bool holds_floats(const std::filesystem::path& file) {
  const auto tensor = read_tensor(file);
  return tensor && is_float(tensor->dtype());
}

Result<Case> read_test(const std::filesystem::path& folder, const std::string& name) {
  return with_json(folder / "desc.json", [&](const nlohmann::json& json) -> Result<Case> {
    const auto& own = json.contains("expected_result_file") ? json.at("expected_result_file") : json.at("ofm_file");
    const auto files = own.get<std::vector<std::string>>();
    const bool floats =
        std::ranges::any_of(files, [&](const auto& file) { return holds_floats(result_file(folder, file)); });
    return Case{name,
                string_fields(json),
                "",
                [=] { return run_test(folder, files); },
                floats ? kByTolerance : "",
                json.value("expected_failure", false) ? "ERROR" : "VALID"};
  });
}

}  // namespace

Result<Cases> load_descriptions(const std::filesystem::path& folder, const RunOptions&) {
  // Sorted, so that the order does not depend on the file system.
  std::set<std::filesystem::path> folders;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder))
    if (entry.path().filename() == "desc.json") folders.insert(entry.path().parent_path());
  Cases cases;
  for (const auto& test : folders) {
    MACAW_ASSIGN(auto c,
                 read_test(test, test == folder ? test.filename().string() : test.lexically_relative(folder).string()));
    cases.push_back(std::move(c));
  }
  return cases;
}

}  // namespace macaw::app::check
