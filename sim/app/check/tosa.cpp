#include <fmt/format.h>

#include <macaw/npy.hpp>

#include "reference/description.hpp"
#include "sim/app/check/json_access.hpp"

// CORPUS/tosa: graphs with the verdict and results of Arm's reference model, or of the specification where the model
// does not settle it.

namespace macaw::app::check {
namespace {

struct Expected {
  std::string status;                          ///< VALID, ERROR or UNPREDICTABLE
  std::map<std::string, std::string> outputs;  ///< name to file
};

Result<void> run_vector(const std::filesystem::path& folder, const Expected& expected) {
  MACAW_ASSIGN(const auto description, tosa::read_description(folder / "desc.json"));
  MACAW_ASSIGN(const auto result, tosa::run_description(description));
  const auto status = tosa::to_string(result.verdict.status());
  if (status != expected.status) {
    const auto* first = result.verdict.first();
    return fail(ErrorCode::kMismatch, fmt::format("verdict {}{}, expected {}", status, first ? " (" + first->to_string() + ")" : "", expected.status));
  }
  if (expected.status != "VALID") return {};
  for (std::size_t i = 0; i < description.output_names.size(); ++i) {
    const auto& name = description.output_names[i];
    const auto file = expected.outputs.find(name);
    if (file == expected.outputs.end()) return fail(ErrorCode::kInvalidFile, fmt::format("no expected file for output '{}'", name));
    MACAW_CHECK(compare_bytes(result.outputs.at(i), folder / file->second, fmt::format("output '{}'", name)));
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

}  // namespace

Result<Cases> load_tosa(const std::filesystem::path& folder, Mode) {
  return with_json(folder / "MANIFEST.json", [&](const nlohmann::json& manifest) -> Result<Cases> {
    Cases cases;
    for (const auto& test : manifest.at("tests")) {
      const auto name = test.at("name").get<std::string>();
      Expected expected{test.at("expected_status").get<std::string>(), {}};
      for (const auto& output : test.value("outputs", nlohmann::json::array()))
        if (output.contains("expected")) expected.outputs[output.at("name").get<std::string>()] = output.at("expected").get<std::string>();
      auto fields = string_fields(test);
      fields["input_dtype"] = common(test.value("input_dtypes", nlohmann::json::array()));
      fields["profile"] = common(test.value("profiles", nlohmann::json::array()));
      cases.push_back({name, std::move(fields), "", [folder = folder / name, expected] { return run_vector(folder, expected); }});
    }
    return cases;
  });
}

}  // namespace macaw::app::check
