#include <macaw/npu/report.hpp>
#include <macaw/npy.hpp>

#include <catch2/catch.hpp>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <nlohmann/json.hpp>

// The measured networks of the corpus: counters of Arm's virtual platforms with timing adapter (S1) and without (S2).
using namespace macaw;
using namespace macaw::npu;

namespace {

std::filesystem::path measured() {
  const char* corpus = std::getenv("MACAW_CORPUS");
  return std::filesystem::path(corpus ? corpus : "build/corpus") / "measured";
}

bool available() {
  if (std::filesystem::exists(measured() / "measurements.json")) return true;
  std::cout << "skipped: no corpus at " << measured() << " (set MACAW_CORPUS)\n";
  return false;
}

struct Errors {
  int cells = 0;
  double sum = 0, most = 0;
};

}  // namespace

TEST_CASE("beats of measured networks are exact and cycles are near") {
  if (!available()) return;
  std::ifstream file(measured() / "measurements.json");
  const auto measurements = nlohmann::json::parse(file);
  std::map<std::string, Errors> errors;
  for (const auto& entry : measurements) {
    const auto set = entry.at("set").get<std::string>();
    const auto npu = entry.value("npu", "");
    if ((set != "S1" && set != "S2") || (npu != "Ethos-U55" && npu != "Ethos-U65") || !entry.contains("artifact") ||
        !entry.at("artifact").is_string())
      continue;
    INFO(entry.at("id").get<std::string>());
    const auto artifact = load_artifact(measured() / entry.at("artifact").get<std::string>());
    REQUIRE(artifact);
    TimedOptions options;
    options.system = npu == "Ethos-U55" ? "corstone-300-u55" : "corstone-300-u65";
    options.memory_mode = entry.at("memory_mode").get<std::string>();
    options.timing_adapter = set == "S1";
    options.values = false;
    const auto result = run_timed(*artifact, *artifact->accelerator, {}, options);
    if (!result) FAIL(result.error().to_string());
    for (const auto& [name, value] : entry.at("metrics").items())
      if (name.find("BEAT") != std::string::npos) {
        INFO(name);
        CHECK(result->pmu.counts.at("ETHOSU_PMU_" + name) == value.get<std::uint64_t>());
      }
    CHECK(result->pmu.counts.at("ETHOSU_PMU_NPU_ACTIVE") == result->cycles);
    const double active = entry.at("metrics").at("NPU_ACTIVE").get<double>();
    const double error = std::abs(static_cast<double>(result->cycles) / active - 1);
    Errors& of_set = errors[set];
    ++of_set.cells;
    of_set.sum += error;
    of_set.most = std::max(of_set.most, error);
  }
  for (const auto& [set, of_set] : errors) {
    INFO(set);
    CHECK(of_set.cells >= 18);
    CHECK(of_set.sum / of_set.cells < 0.025);
    CHECK(of_set.most < 0.10);
  }
  CHECK(errors.size() == 2);
}

TEST_CASE("a timed run leaves the outputs of a functional one") {
  if (!available()) return;
  const auto artifact = load_artifact(measured() / "artifacts/u55_128_Shared_Sram/kws_micronet_m_vela.tflite");
  REQUIRE(artifact);
  auto input = read_tensor(measured() / "io/kws_in0.npy");
  REQUIRE(input);
  std::vector<NamedTensor> inputs;
  inputs.push_back({"", *input});
  const auto functional = run_functional(*artifact, *artifact->accelerator, inputs);
  if (!functional) FAIL(functional.error().to_string());
  const auto timed = run_timed(*artifact, *artifact->accelerator, inputs, {.system = "corstone-300-u55"});
  if (!timed) FAIL(timed.error().to_string());
  CHECK(timed->values.outputs == functional->outputs);
  CHECK(timed->operations.size() == functional->block_operations + functional->dma_operations);
  for (const OperationTiming& operation : timed->operations) {
    CHECK(operation.issued <= operation.start);
    CHECK(operation.start < operation.end);
    CHECK(operation.end <= timed->cycles);
  }
}

TEST_CASE("wrong options are named") {
  const Artifact empty;
  const Accelerator& u55 = *find_accelerator("ethos-u55-128");
  const auto code = [&](const TimedOptions& options) { return run_timed(empty, u55, {}, options).error().code; };
  CHECK(code({.memory_mode = "Nowhere"}) == ErrorCode::kUsage);
  CHECK(code({.params = {{"no_such_param", 1}}}) == ErrorCode::kUsage);
  CHECK(code({.system = "corstone-300-u65"}) == ErrorCode::kMismatch);
}
