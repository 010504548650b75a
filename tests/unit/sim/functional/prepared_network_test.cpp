#include <macaw/npu/prepared_network.hpp>

#include <catch2/catch.hpp>

#include <algorithm>
#include <random>
#include <thread>

// A network that is run again and again beside single runs.
using namespace macaw;
using namespace macaw::npu;

namespace {

Artifact tiny_cnn(const std::string& accelerator) {
  auto artifact = load_artifact("traces/tiny_cnn/" + accelerator + "/tiny_cnn.npz");
  REQUIRE(artifact);
  return std::move(*artifact);
}

std::vector<NamedTensor> random_inputs(const Artifact& artifact, unsigned seed) {
  std::mt19937 random(seed);
  std::vector<NamedTensor> inputs;
  for (const auto& binding : artifact.inputs) {
    Tensor tensor(DType::kINT8, binding.shape);
    std::ranges::generate(tensor.bytes(), [&] { return std::byte(random()); });
    inputs.push_back({binding.name, std::move(tensor)});
  }
  return inputs;
}

}  // namespace

TEST_CASE("a network gives each of many inputs what a single run gives, from several threads at the same time") {
  for (const char* name : {"ethos-u55-128", "ethos-u85-256"}) {
    const Artifact artifact = tiny_cnn(name);
    const auto network = PreparedNetwork::create(artifact, *artifact.accelerator);
    REQUIRE(network);
    constexpr unsigned kInputs = 12, kThreads = 3;
    std::vector<std::vector<Tensor>> outputs(kInputs);
    std::vector<std::jthread> threads;
    for (unsigned t = 0; t < kThreads; ++t)
      threads.emplace_back([&, t] {
        for (unsigned i = t; i < kInputs; i += kThreads) {
          FunctionalOptions options;
          options.threads = static_cast<int>(1 + i % 2);
          if (auto run = network->run(random_inputs(network->artifact(), i), options)) outputs[i] = run->outputs;
        }
      });
    threads.clear();
    for (unsigned i = 0; i < kInputs; ++i) {
      const auto alone = run_functional(artifact, *artifact.accelerator, random_inputs(artifact, i));
      REQUIRE(alone);
      CHECK(outputs[i] == alone->outputs);
    }
  }
}

TEST_CASE("a network whose weights are damaged is refused before it runs") {
  Artifact artifact = tiny_cnn("ethos-u55-128");
  for (auto& memory : artifact.memories)
    if (memory.read_only) std::ranges::fill(memory.initial, std::uint8_t{0});
  const auto network = PreparedNetwork::create(artifact, *artifact.accelerator);
  REQUIRE_FALSE(network);
  CHECK(network.error().code == ErrorCode::kHardwareFault);
  CHECK(network.error().place.command_index);
  const auto run = run_functional(artifact, *artifact.accelerator, random_inputs(artifact, 1));
  REQUIRE_FALSE(run);
  CHECK(run.error().to_string() == network.error().to_string());
}

TEST_CASE("a network says which input is missing as a single run does") {
  const Artifact artifact = tiny_cnn("ethos-u55-128");
  const auto network = PreparedNetwork::create(artifact, *artifact.accelerator);
  REQUIRE(network);
  const auto run = network->run({});
  REQUIRE_FALSE(run);
  CHECK(run.error().code == ErrorCode::kMismatch);
  CHECK(network->run(random_inputs(artifact, 1)));
}
