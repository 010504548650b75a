#include <macaw/npu/simulator.hpp>
#include <macaw/npy.hpp>
#include <macaw/tflite/host_operators.hpp>

#include "tests/support/corpus.hpp"

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include <filesystem>
#include <fstream>
#include <set>

using namespace macaw;
using namespace macaw::npu;

namespace {

nlohmann::json read_json(const std::filesystem::path& file) { return nlohmann::json::parse(std::ifstream(file)); }

/// Their golden was computed with single-precision multipliers; elements that lie within 0.001 of a rounding boundary
/// differ by one.
const std::set<std::string> kSinglePrecisionOracle = {"seanet_sub0", "seanet_sub1", "seanet_sub4"};

}  // namespace

TEST_CASE("raw U55 and U65 networks of the corpus give the stored outputs without findings, first case of each") {
  if (!macaw::test::in_corpus("npu/INDEX.json")) return;
  const auto root = macaw::test::corpus("npu");
  int networks = 0;
  for (const auto& entry : read_json(root / "INDEX.json")) {
    const auto* accelerator = find_accelerator(entry["accelerator"].get<std::string>());
    REQUIRE(accelerator);
    const std::string model = entry["model"];
    if (accelerator->family == Family::kU85 || entry["format"] != "raw" || entry["artifacts"].empty() ||
        entry.contains("known_deviation") || !entry["cpu_ops"].empty() || kSinglePrecisionOracle.count(model))
      continue;
    const std::string file = entry["artifacts"][0];
    INFO(file);
    const auto artifact = load_artifact(root / file);
    REQUIRE(artifact);
    const auto test_case = read_json(root / entry["cases"].get<std::string>())["cases"][0];
    std::vector<NamedTensor> inputs;
    for (const auto& input : test_case["inputs"]) {
      auto tensor = read_tensor(root / model / input["file"].get<std::string>());
      REQUIRE(tensor);
      inputs.push_back({"", std::move(*tensor)});
    }
    FunctionalOptions options;
    options.host = &tflite::host_operators();
    options.findings = [](const Finding& finding) { FAIL_CHECK(finding.to_string()); };
    const auto result = run_functional(*artifact, *accelerator, inputs, options);
    INFO((result ? "" : result.error().to_string()));
    REQUIRE(result);
    for (std::size_t i = 0; i < test_case["outputs"].size(); ++i) {
      const auto golden = read_tensor(root / model / test_case["outputs"][i]["file"].get<std::string>());
      REQUIRE(golden);
      CHECK(std::ranges::equal(result->outputs.at(i).bytes(), golden->bytes()));
    }
    ++networks;
  }
  CHECK(networks > 0);
}
