#include <algorithm>
#include <set>

#include "tests/tools/dev/check/json_access.hpp"
#include "tests/tools/dev/check/network.hpp"
#include "workflow/compare/inputs.hpp"

// CORPUS/unlabelled: compiled networks without answers. On seeded inputs they must run without a fault, repeatably.

namespace macaw::app::check {
namespace {

constexpr std::uint32_t kUnlabelledSeed = 1;

Case repeatable(const std::filesystem::path& folder, const std::string& artifact,
                std::map<std::string, std::string> fields, const RunOptions& options) {
  const auto accelerator = fields.contains("accelerator") ? fields.at("accelerator") : std::string();
  return {artifact, std::move(fields), "", [=]() -> Result<void> {
            MACAW_ASSIGN(const auto network, load_network(folder / artifact, accelerator));
            MACAW_ASSIGN(const auto inputs, compare::random_inputs(network.artifact, kUnlabelledSeed));
            return run_repeatably(network, inputs, options);
          }};
}

}  // namespace

Result<Cases> load_unlabelled(const std::filesystem::path& folder, const RunOptions& options) {
  Cases cases;
  for (const auto* part : {"", "npu"}) {
    const auto base = folder / part;
    if (!std::filesystem::exists(base / "INDEX.json")) continue;
    auto indexed = with_json(base / "INDEX.json", [&](const nlohmann::json& index) -> Result<Cases> {
      Cases found;
      for (const auto& entry : index)
        for (const auto& artifact : entry.at("artifacts")) {
          auto c = repeatable(base, artifact.get<std::string>(), string_fields(entry), options);
          if (entry.value("npu_ops", 1) == 0)
            c.known_deviation = "artifact: the compiler left every operator on the CPU";
          found.push_back(std::move(c));
        }
      return found;
    });
    MACAW_CHECK(indexed);
    std::ranges::move(*indexed, std::back_inserter(cases));
  }
  // Folders of artifacts without an index: sorted, so that the order does not depend on the file system.
  std::set<std::string> files;
  for (const auto* part : {"artifacts", "measured/artifacts"}) {
    if (!std::filesystem::is_directory(folder / part)) continue;
    for (const auto& file : std::filesystem::recursive_directory_iterator(folder / part))
      if (file.path().extension() == ".tflite" || file.path().extension() == ".npz")
        files.insert(file.path().lexically_relative(folder).string());
  }
  for (const auto& file : files) cases.push_back(repeatable(folder, file, {}, options));
  return cases;
}

}  // namespace macaw::app::check
