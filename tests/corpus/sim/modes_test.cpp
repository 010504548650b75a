#include <macaw/npu/timed_simulator.hpp>
#include <macaw/npy.hpp>

#include "tests/support/corpus.hpp"

#include <catch2/catch.hpp>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

// Relations between the modes, on measured networks of the corpus.
using namespace macaw;
using namespace macaw::npu;

TEST_CASE("a timed run leaves the outputs of a functional one") {
  if (!macaw::test::in_corpus("measured/measurements.json")) return;
  const auto artifact =
      load_artifact(macaw::test::corpus("measured/artifacts") / "u55_128_Shared_Sram/kws_micronet_m_vela.tflite");
  REQUIRE(artifact);
  auto input = read_tensor(macaw::test::corpus("measured/io/kws_in0.npy"));
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

TEST_CASE("a run without values counts the same") {
  if (!macaw::test::in_corpus("measured/measurements.json")) return;
  for (const std::string folder :
       {"u55_32_Shared_Sram", "u55_256_Shared_Sram", "u65_512_Dedicated_Sram", "u85_128_Dedicated_Sram_SYS_DRAM_Low",
        "u85_2048_Dedicated_Sram_SYS_DRAM_High_2048"}) {
    INFO(folder);
    const auto artifact =
        load_artifact(macaw::test::corpus("measured/artifacts") / folder / "kws_micronet_m_vela.tflite");
    REQUIRE(artifact);
    auto input = read_tensor(macaw::test::corpus("measured/io/kws_in0.npy"));
    REQUIRE(input);
    std::vector<NamedTensor> inputs;
    inputs.push_back({"", *input});
    const auto timed = run_timed(*artifact, *artifact->accelerator, inputs, {});
    const auto timing = run_timed(*artifact, *artifact->accelerator, {}, {.values = false});
    if (!timed) FAIL(timed.error().to_string());
    if (!timing) FAIL(timing.error().to_string());
    CHECK(timing->cycles == timed->cycles);
    for (const auto& [name, count] : timed->pmu.counts) {
      INFO(name);
      CHECK(timing->pmu.counts.at(name) == count);
    }
    CHECK(timing->values.outputs.empty());
    CHECK(timing->error_bar);
  }
}

TEST_CASE("a run without values faults where one with values does") {
  auto artifact = load_artifact("traces/tiny_cnn/ethos-u55-128/tiny_cnn.npz");
  REQUIRE(artifact);
  const Accelerator& npu = *artifact->accelerator;
  auto input = read_tensor("traces/tiny_cnn/input_0.npy");
  REQUIRE(input);
  std::vector<NamedTensor> inputs;
  inputs.push_back({"", *input});
  REQUIRE(run_timed(*artifact, npu, {}, {.values = false}));
  for (std::size_t region = 0; region < 2; ++region) {
    auto broken = *artifact;
    auto& binding = std::get<CommandStream>(broken.steps.front()).regions.at(region);
    REQUIRE(binding.size > 64);
    binding.size = 64;
    const auto functional = run_functional(broken, npu, inputs);
    const auto timing = run_timed(broken, npu, {}, {.values = false});
    REQUIRE_FALSE(functional);
    REQUIRE_FALSE(timing);
    CHECK(timing.error().code == ErrorCode::kHardwareFault);
    CHECK(timing.error().to_string() == functional.error().to_string());
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
