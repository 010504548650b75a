#include <catch2/catch.hpp>

#include "workflow/accuracy/pairing.hpp"

using namespace macaw;
using namespace macaw::accuracy;

namespace {

/// A chain of operators, each of which reads the tensor of the one before: names of tensors and kinds.
tflite::Network chain(const std::vector<std::pair<std::string, std::string>>& ops, DType dtype) {
  tflite::Network network{.file = "test", .subgraphs = {{}}};
  auto& graph = network.subgraphs[0];
  graph.tensors.push_back({.name = "in", .dtype = dtype, .shape = {1, 4}});
  graph.inputs = {0};
  for (const auto& [kind, name] : ops) {
    const auto tensor = static_cast<int>(graph.tensors.size());
    graph.tensors.push_back({.name = name, .dtype = dtype, .shape = {1, 4}});
    graph.operators.push_back({.name = kind, .version = 1, .inputs = {tensor - 1}, .outputs = {tensor}});
  }
  graph.outputs = {static_cast<int>(graph.tensors.size()) - 1};
  return network;
}

}  // namespace

TEST_CASE("tensors are paired by name, else by place, and conversions stand for what they convert") {
  const auto reference = chain({{"RELU", "a"}, {"TANH", "b"}, {"SOFTMAX", "c"}}, DType::kFP32);
  const auto quantised =
      chain({{"QUANTIZE", "in_int8"}, {"RELU", "a"}, {"TANH", "other"}, {"SOFTMAX", "c_int8"}, {"DEQUANTIZE", "c"}},
            DType::kINT8);
  const auto pairing = pair_networks(reference, quantised);
  const auto some = [](std::size_t i) { return std::optional(i); };
  CHECK(pairing.tensor == std::vector{some(0), some(0), some(1), some(2), some(3), some(3)});
  CHECK(pairing.op ==
        std::vector{std::optional<std::size_t>(), some(0), some(1), some(2), std::optional<std::size_t>()});
  CHECK(pairing.only_float.empty());
  CHECK(pairing.only_quantised.empty());
}

TEST_CASE("tensors without a partner are listed") {
  const auto reference = chain({{"RELU", "a"}, {"EXP", "b"}, {"SOFTMAX", "c"}}, DType::kFP32);
  const auto quantised = chain({{"RELU", "x"}, {"LOG", "y"}, {"SOFTMAX", "z"}}, DType::kINT8);
  const auto pairing = pair_networks(reference, quantised);
  CHECK(pairing.only_float == std::vector<std::size_t>{2});
  CHECK(pairing.only_quantised == std::vector<std::size_t>{2});
  CHECK(pairing.tensor[3] == 3);
}

TEST_CASE("a name that several tensors have pairs none of them") {
  const auto reference = chain({{"RELU", "a"}, {"RELU", "a"}}, DType::kFP32);
  const auto quantised = chain({{"RELU", "a"}, {"RELU", "a"}}, DType::kINT8);
  const auto pairing = pair_networks(reference, quantised);
  CHECK(pairing.tensor[1] == 1);
  CHECK(pairing.tensor[2] == 2);
}
