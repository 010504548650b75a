#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <set>

#include "app/check/json_access.hpp"
#include "app/check/network.hpp"

// CORPUS/measured: the artifacts whose counters were measured; their outputs are those that the platform printed.

namespace macaw::app::check {
namespace {

/// io/<prefix>_in<i>.npy or io/<prefix>_ref_out<i>.npy, as many as there are.
std::vector<std::filesystem::path> numbered(const std::filesystem::path& folder, const std::string& stem) {
  std::vector<std::filesystem::path> files;
  while (true) {
    auto file = folder / fmt::format("{}{}.npy", stem, files.size());
    if (!std::filesystem::exists(file)) return files;
    files.push_back(std::move(file));
  }
}

Result<void> run_artifact(const std::filesystem::path& folder, const std::string& artifact, const std::string& workload,
                          const RunOptions& options) {
  MACAW_ASSIGN(const auto network, load_network(folder / artifact, ""));
  MACAW_ASSIGN(const auto inputs, read_inputs(numbered(folder / "io", workload + "_in")));
  MACAW_ASSIGN(const auto outputs, run_network(network, inputs, options));
  const auto expected = numbered(folder / "io", workload + "_ref_out");
  if (outputs.size() != expected.size())
    return fail(ErrorCode::kMismatch, fmt::format("{} outputs, expected {}", outputs.size(), expected.size()));
  for (std::size_t i = 0; i < outputs.size(); ++i)
    MACAW_CHECK(compare_bytes(outputs[i], expected[i], fmt::format("output {}", i)));
  return {};
}

}  // namespace

Result<Cases> load_measured(const std::filesystem::path& folder, const RunOptions& options) {
  return with_json(folder / "measurements.json", [&](const nlohmann::json& measurements) -> Result<Cases> {
    Cases cases;
    std::set<std::string> seen;
    for (const auto& entry : measurements) {
      // Published figures without a stream have null here.
      if (!entry.contains("artifact") || !entry["artifact"].is_string()) continue;
      const auto artifact = entry["artifact"].get<std::string>(), workload = entry.at("workload").get<std::string>();
      if (!seen.insert(artifact).second) continue;
      auto fields = string_fields(entry);
      auto npu = entry.value("npu", "");  // "Ethos-U55"
      std::ranges::transform(npu, npu.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
      fields["accelerator"] = fmt::format("{}-{}", npu, entry.value("macs", 0));
      cases.push_back(
          {artifact, std::move(fields), "", [=] { return run_artifact(folder, artifact, workload, options); }});
    }
    return cases;
  });
}

}  // namespace macaw::app::check
