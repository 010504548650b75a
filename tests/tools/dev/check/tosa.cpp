#include <fmt/format.h>

#include <algorithm>

#include <macaw/tosa/verify.hpp>

#include "tests/tools/dev/check/json_access.hpp"
#include "tests/tools/dev/check/tosa.hpp"

// CORPUS/tosa: graphs with the verdict and results of Arm's reference model, or of the specification where the model
// does not settle it. Results are judged by the compliance mode that the test description states.

namespace macaw::app::check {
namespace {

/// Files of one output, below the folder of its test.
struct ExpectedOutput {
  std::string reference;  ///< the double precision run's, or of integers the only one
  std::string bounds;     ///< empty if the mode needs none
  bool has_mode = true;   ///< whether the description states a compliance mode
};

struct Expected {
  std::string status;  ///< VALID, ERROR or UNPREDICTABLE
  std::map<std::string, ExpectedOutput> outputs;
};

/// A vector that has run to the verdict VALID.
struct Finished {
  const std::filesystem::path& folder;
  const std::string& compliance_json;
  const NamedOutputs& run;
  const Expected& expected;
};

Result<const ExpectedOutput*> expected_output(const Finished& test, const std::string& name) {
  const auto found = test.expected.outputs.find(name);
  if (found != test.expected.outputs.end()) return &found->second;
  return fail(ErrorCode::kInvalidFile, fmt::format("no expected file for output '{}'", name));
}

Result<tosa::Judgement> judge_files(const Finished& test, const Tensor& result, const Tensor& reference,
                                    const ExpectedOutput& expected, const tosa::Compliance& compliance) {
  if (expected.bounds.empty()) return tosa::judge(result, reference, nullptr, compliance);
  MACAW_ASSIGN(const auto bounds,
               tosa::read_judged(test.folder / expected.bounds, tosa::reference_dtype(compliance.dtype)));
  return tosa::judge(result, reference, &bounds, compliance);
}

/// Handles values and scales that are two outputs.
Result<tosa::Judgement> judge_pair(const Finished& test, const Tensor& values, const ExpectedOutput& expected,
                                   const std::string& scale_name, const tosa::Compliance& compliance) {
  MACAW_ASSIGN(const auto* expected_scales, expected_output(test, scale_name));
  const auto scales = std::ranges::find(test.run.outputs, scale_name, [](const auto& output) { return output.first; });
  if (scales == test.run.outputs.end())
    return fail(ErrorCode::kInvalidFile, fmt::format("the description has no output '{}'", scale_name));
  MACAW_ASSIGN(const auto result, tosa::join_blocks(values, scales->second));
  MACAW_ASSIGN(const auto reference, tosa::read_judged(test.folder / expected.reference, DType::kFP64));
  MACAW_ASSIGN(const auto scale, tosa::read_judged(test.folder / expected_scales->reference, DType::kFP64));
  MACAW_ASSIGN(const auto joined, tosa::join_blocks(reference, scale));
  return judge_files(test, result, joined, expected, compliance);
}

Result<tosa::Judgement> judge_output(const Finished& test, const std::string& name, const Tensor& output) {
  MACAW_ASSIGN(const auto* expected, expected_output(test, name));
  MACAW_ASSIGN(const auto compliance, expected->has_mode ? tosa::parse_compliance(test.compliance_json, name)
                                                         : default_compliance(output.dtype()));
  const auto* blocks = std::get_if<tosa::mode::ToBlock>(&compliance.mode);
  if (blocks && !blocks->scale_tensor.empty())
    return judge_pair(test, output, *expected, blocks->scale_tensor, compliance);
  MACAW_ASSIGN(const auto reference,
               tosa::read_judged(test.folder / expected->reference, tosa::reference_dtype(compliance.dtype)));
  return judge_files(test, output, reference, *expected, compliance);
}

Result<void> run_vector(const std::filesystem::path& folder, const Expected& expected) {
  MACAW_ASSIGN(const auto description, tosa::read_description(folder / "desc.json"));
  MACAW_ASSIGN(const auto run, run_to_verdict(description, expected.status));
  const Finished test{folder, description.compliance_json, run, expected};
  for (const auto& [name, output] : run.outputs) {
    MACAW_ASSIGN(const auto judgement, judge_output(test, name, output));
    if (!judgement.compliant) return fail(ErrorCode::kMismatch, fmt::format("output '{}': {}", name, judgement.text));
  }
  return {};
}

/// One value for a list of equal ones, so that --filter input_dtype=INT8 works; "mixed" otherwise.
std::string common(const nlohmann::json& list) {
  if (list.empty()) return "";
  for (const auto& value : list)
    if (value != list[0]) return "mixed";
  return list[0].get<std::string>();
}

/// A member that may be absent or null.
std::string text_or(const nlohmann::json& object, const char* key, const std::string& otherwise) {
  const auto it = object.find(key);
  return it == object.end() || it->is_null() ? otherwise : it->get<std::string>();
}

Expected read_expected(const nlohmann::json& test) {
  Expected expected{test.at("expected_status").get<std::string>(), {}};
  for (const auto& output : test.value("outputs", nlohmann::json::array())) {
    if (!output.contains("expected")) continue;
    const auto file = output.at("expected").get<std::string>();
    expected.outputs[output.at("name").get<std::string>()] = {
        text_or(output, "precise", file), text_or(output, "bounds", ""), !text_or(output, "compliance", "").empty()};
  }
  return expected;
}

}  // namespace

Result<tosa::Compliance> default_compliance(DType dtype) {
  tosa::Compliance compliance{tosa::mode::Exact{}, dtype};
  if (is_float(dtype) && !is_block_scale(dtype)) {
    MACAW_ASSIGN(compliance.mode, tosa::default_tolerance(dtype));
  }
  return compliance;
}

Result<NamedOutputs> run_to_verdict(const tosa::TestDescription& description, const std::string& expected) {
  const auto graph = tosa::load_graph(description.graph);
  const bool rejected = !graph && graph.error().code == ErrorCode::kInvalidGraph;
  if (!rejected) MACAW_CHECK(graph);
  MACAW_ASSIGN(auto result, rejected ? tosa::error_result(graph.error())
                                     : tosa::run_description(description, *graph, tosa::Options{}));
  const auto status = tosa::to_string(result.verdict.status());
  if (status != expected) {
    const auto* first = result.verdict.first();
    return fail(ErrorCode::kMismatch, fmt::format("verdict {}{}, expected {}", status,
                                                  first ? " (" + first->to_string() + ")" : "", expected));
  }
  NamedOutputs run;
  if (result.verdict.status() != tosa::Status::kValid) return run;
  for (const auto& name : description.output_names) {
    MACAW_ASSIGN(const auto port, tosa::find_port(*graph, graph->main().outputs, name, "output"));
    run.outputs.emplace_back(name, std::move(result.outputs.at(port)));
  }
  return run;
}

Result<Cases> load_tosa(const std::filesystem::path& folder, const RunOptions&) {
  return with_json(folder / "MANIFEST.json", [&](const nlohmann::json& manifest) -> Result<Cases> {
    Cases cases;
    for (const auto& test : manifest.at("tests")) {
      const auto name = test.at("name").get<std::string>();
      const auto expected = read_expected(test);
      auto fields = string_fields(test);
      fields["input_dtype"] = common(test.value("input_dtypes", nlohmann::json::array()));
      fields["profile"] = common(test.value("profiles", nlohmann::json::array()));
      const bool by_tolerance =
          expected.status == "VALID" && std::any_of(expected.outputs.begin(), expected.outputs.end(),
                                                    [](const auto& output) { return !output.second.has_mode; });
      cases.push_back({name, std::move(fields), "",
                       [folder = folder / name, expected] { return run_vector(folder, expected); },
                       by_tolerance ? kByTolerance : "", expected.status});
    }
    return cases;
  });
}

}  // namespace macaw::app::check
