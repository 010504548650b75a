#include <fmt/format.h>

#include <algorithm>

#include <macaw/tosa/verify.hpp>

#include "sim/app/check/json_access.hpp"
#include "sim/app/check/tosa.hpp"

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

Result<void> judge_output(const Tensor& output, const std::string& name, const ExpectedOutput& expected,
                          const std::filesystem::path& folder, const std::string& compliance_json) {
  const auto parsed =
      expected.has_mode ? tosa::parse_compliance(compliance_json, name) : default_compliance(output.dtype());
  MACAW_ASSIGN(const auto compliance, parsed);
  const auto dtype = tosa::reference_dtype(compliance.dtype);
  MACAW_ASSIGN(const auto reference, tosa::read_judged(folder / expected.reference, dtype));
  Tensor bounds;
  if (!expected.bounds.empty()) {
    MACAW_ASSIGN(bounds, tosa::read_judged(folder / expected.bounds, dtype));
  }
  MACAW_ASSIGN(const auto judgement,
               tosa::judge(output, reference, expected.bounds.empty() ? nullptr : &bounds, compliance));
  if (judgement.compliant) return {};
  return fail(ErrorCode::kMismatch, fmt::format("output '{}': {}", name, judgement.text));
}

Result<void> run_vector(const std::filesystem::path& folder, const Expected& expected) {
  MACAW_ASSIGN(const auto description, tosa::read_description(folder / "desc.json"));
  MACAW_ASSIGN(const auto run, run_to_verdict(description, expected.status));
  for (const auto& [name, output] : run.outputs) {
    const auto files = expected.outputs.find(name);
    if (files == expected.outputs.end())
      return fail(ErrorCode::kInvalidFile, fmt::format("no expected file for output '{}'", name));
    MACAW_CHECK(judge_output(output, name, files->second, folder, description.compliance_json));
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
  if (is_float(dtype)) {
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
