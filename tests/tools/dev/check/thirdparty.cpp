#include <fmt/format.h>

#include "tests/tools/dev/check/json_access.hpp"
#include "tests/tools/dev/check/network.hpp"
#include "workflow/compare/inputs.hpp"

// CORPUS/thirdparty: networks that others compiled. Where they published inputs and outputs the bytes must be equal;
// the others must run, and give the same bytes twice.

namespace macaw::app::check {
namespace {

constexpr std::uint32_t kThirdpartySeed = 1;

}  // namespace

Result<Cases> load_thirdparty(const std::filesystem::path& folder, const RunOptions& options) {
  return with_json(folder / "INDEX.json", [&](const nlohmann::json& index) -> Result<Cases> {
    Cases cases;
    for (const auto& entry : index) {
      const auto artifact = entry.at("artifact").get<std::string>();
      const auto none = nlohmann::json::array();
      const auto inputs = paths(entry.value("inputs", none), folder),
                 outputs = paths(entry.value("expected_outputs", none), folder);
      const auto accelerator = entry.value("accelerator", "");
      cases.push_back({artifact, string_fields(entry), entry.value("known_deviation", ""), [=]() -> Result<void> {
                         MACAW_ASSIGN(const auto network, load_network(folder / artifact, accelerator));
                         if (outputs.empty()) {
                           MACAW_ASSIGN(const auto seeded, compare::random_inputs(network.artifact, kThirdpartySeed));
                           return run_repeatably(network, seeded, options);
                         }
                         MACAW_ASSIGN(const auto given, read_inputs(inputs));
                         MACAW_ASSIGN(const auto actual, run_network(network, given, options));
                         if (actual.size() != outputs.size())
                           return fail(ErrorCode::kMismatch,
                                       fmt::format("{} outputs, expected {}", actual.size(), outputs.size()));
                         for (std::size_t i = 0; i < outputs.size(); ++i)
                           MACAW_CHECK(compare_bytes(actual[i], outputs[i], fmt::format("output {}", i)));
                         return {};
                       }});
    }
    return cases;
  });
}

}  // namespace macaw::app::check
