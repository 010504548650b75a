#include <catch2/catch.hpp>

#include <macaw/quantised_values.hpp>
#include <macaw/tflite/interpreter.hpp>
#include <macaw/tflite/to_float.hpp>
#include <macaw/tflite/to_tosa.hpp>
#include <macaw/tosa/interpreter.hpp>

#include <cmath>
#include <set>

#include <fmt/format.h>

#include "tests/differential/tflite/maker.hpp"
#include "tests/support/checked.hpp"
#include "tests/support/tflite_file.hpp"

// Networks of floats in TOSA beside the kernels.

using namespace macaw;
using namespace macaw::test;

namespace {

constexpr std::uint64_t kNetworks = 12;

bool is_near(float a, float b, float most) {
  if (std::isnan(a) || std::isnan(b)) return std::isnan(a) && std::isnan(b);
  return a == b || std::abs(a - b) <= 2e-6F * most + 2e-5F * std::abs(b);
}

void require_near(const Tensor& expected, const Tensor& got) {
  REQUIRE(expected.shape() == got.shape());
  if (expected.dtype() != DType::kFP32) {
    REQUIRE(std::ranges::equal(expected.bytes(), got.bytes()));
    return;
  }
  const auto a = expected.data<float>(), b = got.data<float>();
  float most = 0;
  for (const float value : a)
    if (std::isfinite(value)) most = std::max(most, std::abs(value));
  for (std::size_t i = 0; i < a.size(); ++i) {
    INFO("element " << i << ": " << a[i] << " from the kernel, " << b[i] << " from TOSA");
    REQUIRE(is_near(b[i], a[i], most));
  }
}

/// The real values of inputs of a quantised network.
std::vector<Tensor> real_inputs(const tflite::Network& network, const std::vector<std::byte>& bytes,
                                std::uint64_t seed) {
  auto inputs = random_inputs(bytes, seed);
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    const auto& info = network.main().tensors[static_cast<std::size_t>(network.main().inputs[i])];
    if (info.quantization && inputs[i].dtype() != DType::kFP32)
      inputs[i] = checked(dequantised(inputs[i], *info.quantization));
  }
  return inputs;
}

/// Whether the network in float arithmetic has a form in TOSA, whose results must then be near those of the kernels.
bool check(const std::vector<std::byte>& bytes, std::uint64_t seed) {
  const auto stored = checked(tflite::parse_network(bytes, "random"));
  const auto network = checked(tflite::to_float(stored));
  const auto graph = tflite::to_tosa(network, tflite::Floats::kRounded);
  if (!graph) {
    INFO(graph.error().to_string());
    REQUIRE(graph.error().code == ErrorCode::kUnsupported);
    return false;
  }
  const auto inputs = real_inputs(stored, bytes, seed);
  tflite::State state;
  const auto expected = tflite::run(network, inputs, state);
  if (!expected) return false;
  const auto run = checked(tosa::run(*graph, inputs));
  if (const auto* finding = run.verdict.first()) FAIL(finding->to_string());
  REQUIRE(run.outputs.size() == expected->outputs.size());
  for (std::size_t i = 0; i < run.outputs.size(); ++i) require_near(expected->outputs[i], run.outputs[i]);
  return true;
}

}  // namespace

TEST_CASE("an operator of floats in TOSA gives what its kernel gives, within rounding") {
  const std::set<std::string_view> taken = {"ABS",          "ADD",          "AVERAGE_POOL_2D",
                                            "BATCH_MATMUL", "CONV_2D",      "DEPTHWISE_CONV_2D",
                                            "DIV",          "ELU",          "EXP",
                                            "GELU",         "LOGISTIC",     "FULLY_CONNECTED",
                                            "HARD_SWISH",   "LEAKY_RELU",   "LOG",
                                            "MAX_POOL_2D",  "MEAN",         "MAXIMUM",
                                            "MINIMUM",      "MUL",          "NEG",
                                            "PRELU",        "RELU",         "RELU6",
                                            "REDUCE_MAX",   "REDUCE_MIN",   "RELU_N1_TO_1",
                                            "RSQRT",        "SOFTMAX",      "SQUARED_DIFFERENCE",
                                            "SUB",          "SUM",          "TANH",
                                            "RESHAPE",      "TRANSPOSE",    "TRANSPOSE_CONV",
                                            "PAD",          "CONCATENATION"};
  std::size_t seen = 0;
  for (const auto& maker : operator_makers()) {
    int near = 0;
    for (std::uint64_t seed = 0; seed < kNetworks; ++seed) {
      INFO(maker.name << ", seed " << seed);
      Maker m(seed * 1009 + static_cast<std::uint64_t>(maker.builtin));
      maker.make(m, maker.builtin);
      near += check(m.finish(), seed);
    }
    INFO(maker.name << ": " << near << " networks near");
    if (!taken.contains(maker.name)) continue;
    ++seen;
    CHECK(near > 0);
  }
  CHECK(seen == taken.size());
}

TEST_CASE("a hybrid network in TOSA has its filter dequantised") {
  constexpr int kFullyConnected = 9;
  TfliteFile file;
  const int in = file.input(FLOAT32, {1, 2});
  const int filter = file.constant<std::int8_t>(INT8, {2, 2}, {4, -2, 1, 8});
  file.quantized(filter, {0.5F, 2.0F}, 0);
  const int bias = file.constant<float>(FLOAT32, {2}, {1, -3});
  const int out = file.tensor(FLOAT32, {1, 2});
  file.op(kFullyConnected, {in, filter, bias}, {out}, fb::FullyConnectedOptionsT{}).output(out);
  const auto network = checked(tflite::parse_network(file.bytes(), "hybrid"));
  const auto graph = checked(tflite::to_tosa(network, tflite::Floats::kRounded));
  Tensor x(DType::kFP32, {1, 2});
  x.data<float>()[0] = 3;
  x.data<float>()[1] = 0.25F;
  const auto run = checked(tosa::run(graph, {x}));
  const auto values = run.outputs.at(0).data<float>();
  CHECK(values[0] == 3 * 2.0F - 0.25F + 1);
  CHECK(values[1] == 3 * 2.0F + 0.25F * 16 - 3);
}

TEST_CASE("a network of floats is refused where results must be exact") {
  constexpr int kAdd = 0;
  TfliteFile file;
  const int a = file.input(FLOAT32, {2}), b = file.input(FLOAT32, {2}), out = file.tensor(FLOAT32, {2});
  file.op(kAdd, {a, b}, {out}, fb::AddOptionsT{}).output(out);
  const auto network = checked(tflite::parse_network(file.bytes(), "floats"));
  CHECK(tflite::to_tosa(network, tflite::Floats::kRounded));
  const auto exact = tflite::to_tosa(network);
  REQUIRE(!exact);
  CHECK(exact.error().code == ErrorCode::kUnsupported);
}
