#include <macaw/npu/choose_accelerator.hpp>
#include <macaw/npu/simulator.hpp>
#include <macaw/npy.hpp>
#include <macaw/tflite/host_operators.hpp>
#include <macaw/tflite/interpreter.hpp>

#include "tests/support/checked.hpp"
#include "tests/support/corpus.hpp"

#include <catch2/catch.hpp>

#include <algorithm>

// Public networks with state.
using namespace macaw;
using namespace macaw::npu;
using macaw::test::checked;

namespace {

/// Outputs of runs one after the other, each with the variables that the one before it left.
std::vector<Tensor> outputs_of(const Artifact& artifact, const std::vector<Tensor>& inputs) {
  const auto* accelerator = checked(choose_accelerator(artifact, ""));
  FunctionalOptions options;
  options.host = &tflite::host_operators();
  std::vector<Tensor> outputs;
  for (const auto& input : inputs) {
    const std::vector<NamedTensor> named = {{"", input}};
    auto run = checked(run_functional(artifact, *accelerator, named, options));
    outputs.push_back(std::move(run.outputs.at(0)));
    options.variables.clear();
    for (auto& variable : run.variables) options.variables.push_back({"", std::move(variable)});
  }
  return outputs;
}

std::vector<float> values(const Tensor& tensor) {
  const auto all = tensor.data<float>();
  return {all.begin(), all.end()};
}

Tensor ramp() {
  Tensor tensor(DType::kFP32, {1, 4});
  for (std::size_t i = 0; i < 4; ++i) tensor.data<float>()[i] = static_cast<float>(i + 1);
  return tensor;
}

}  // namespace

TEST_CASE("ExecuTorch programs without a delegate keep their mutable buffers") {
  if (!macaw::test::in_corpus("outside/sequence")) return;
  const auto folder = macaw::test::corpus("outside/sequence");
  const auto state = checked(load_artifact(folder / "a_state.pte"));
  const auto outputs = outputs_of(state, {ramp(), ramp(), ramp()});
  CHECK(values(outputs[0]) == std::vector<float>{1, 4, 9, 16});
  CHECK(values(outputs[2]) == std::vector<float>{9, 36, 81, 144});
  // Its initial state is what stands at the beginning of the file: as floats less than 2^-26.
  const auto initial = checked(load_artifact(folder / "b_initial.pte"));
  const auto from_initial = outputs_of(initial, {ramp(), ramp()});
  CHECK(values(from_initial[0]) == std::vector<float>{1, 4, 9, 16});
  CHECK(values(from_initial[1]) == std::vector<float>{4, 16, 36, 64});
}

TEST_CASE("a keyword network of Cortex-M kernels runs on the CPU") {
  if (!macaw::test::in_corpus("outside/formats")) return;
  const auto artifact = checked(load_artifact(macaw::test::corpus("outside/formats") / "kws_cortex_m.pte"));
  Tensor input(DType::kFP32, artifact.inputs.at(0).shape);
  for (std::size_t i = 0; i < input.data<float>().size(); ++i)
    input.data<float>()[i] = static_cast<float>(i * 37 % 101) - 50;
  const auto outputs = outputs_of(artifact, {input, input});
  CHECK(outputs[0].size() == 12);
  CHECK(outputs[0] == outputs[1]);
  const auto scores = values(outputs[0]);
  CHECK(*std::ranges::max_element(scores) > *std::ranges::min_element(scores));
}

TEST_CASE("a streaming network gives TFLM's answers, as a graph and compiled, and goes on alike") {
  if (!macaw::test::in_corpus("outside/sequence")) return;
  const auto folder = macaw::test::corpus("outside/sequence") / "streaming";
  std::vector<Tensor> inputs;
  for (const char* name : {"in_0_0.npy", "in_1_0.npy", "in_0_0.npy", "in_1_0.npy"})
    inputs.push_back(checked(read_tensor(folder / name)));
  const auto network = checked(tflite::load_network(folder / "vad.tflite"));
  tflite::State state;
  std::vector<Tensor> expected;
  for (const auto& input : inputs) expected.push_back(checked(tflite::run(network, {input}, state)).outputs.at(0));
  CHECK(expected[0] == checked(read_tensor(folder / "exp_0_output_0.npy")));
  tflite::State fresh;
  CHECK(checked(tflite::run(network, {inputs[1]}, fresh)).outputs.at(0) ==
        checked(read_tensor(folder / "exp_1_output_0.npy")));
  for (const char* name : {"vad_ethos-u55-256_vela.tflite", "vad_ethos-u85-128_vela.tflite"}) {
    INFO(name);
    CHECK(outputs_of(checked(load_artifact(folder / name)), inputs) == expected);
  }
  for (const char* name : {"v2_okay_nabu.tflite", "models_okay_nabu.tflite"}) {
    INFO(name);
    const auto other = checked(tflite::load_network(folder / name));
    const auto& port = other.main().tensors[std::size_t(other.main().inputs.at(0))];
    tflite::State variables;
    const Tensor silence(port.dtype, port.shape);
    const auto first = checked(tflite::run(other, {silence}, variables));
    CHECK(first.outputs.size() == 1);
    CHECK(!variables.empty());
    CHECK(checked(tflite::run(other, {silence}, variables)).outputs.size() == 1);
  }
}
