#include <catch2/catch.hpp>

#include <cmath>

#include <macaw/quantised_values.hpp>
#include <macaw/tflite/to_float.hpp>

#include "tests/unit/reference/tflite/support.hpp"

using namespace macaw;
using namespace macaw::test;
using enum fb::TensorType;

namespace {

/// Two channels of weights with scales of their own and a bias: 2 x - 1 and 8 x + 3 of an input with step 0.5.
TfliteFile scaled_network() {
  TfliteFile file;
  const int in = file.input(INT8, {1, 1}, {0.5F}, {-4});
  const int filter = file.constant<std::int8_t>(INT8, {2, 1}, {4, 4});
  file.quantized(filter, {0.5F, 2.0F}, 0);
  const int bias = file.constant<std::int32_t>(INT32, {2}, {-4, 3});
  file.quantized(bias, {0.25F, 1.0F}, 0);
  const int out = file.tensor(INT8, {1, 2}, {1.0F}, {10});
  file.op(kFullyConnected, {in, filter, bias}, {out}, fb::FullyConnectedOptionsT{}).output(out);
  return file;
}

}  // namespace

TEST_CASE("a quantised network in float arithmetic computes what its integers stand for") {
  const auto network = checked(tflite::parse_network(scaled_network().bytes(), "test"));
  const auto real = checked(tflite::to_float(network));
  tflite::State state;
  const auto run = checked(tflite::run(real, {tensor_of<float>(DType::kFP32, {1, 1}, {1.5F})}, state));
  CHECK(values_of<float>(run.outputs[0]) == std::vector<float>{2, 15});
  CHECK(real.main().tensors[0].name == network.main().tensors[0].name);
}

TEST_CASE("a network of floats stays as it is in float arithmetic") {
  TfliteFile file;
  const int a = file.input(FLOAT32, {2}), b = file.constant<float>(FLOAT32, {2}, {1, 2});
  const int out = file.tensor(FLOAT32, {2});
  file.op(kAdd, {a, b}, {out}, fb::AddOptionsT{}).output(out);
  const auto network = checked(tflite::parse_network(file.bytes(), "test"));
  const auto real = checked(tflite::to_float(network));
  CHECK(real.main().tensors[1].constant == network.main().tensors[1].constant);
}

TEST_CASE("scales that do not fit a constant are an error that names the tensor") {
  TfliteFile file;
  const int in = file.input(INT8, {1, 1}, {0.5F}), filter = file.constant<std::int8_t>(INT8, {3, 1}, {1, 2, 3});
  file.quantized(filter, {0.5F, 2.0F}, 0);
  const int out = file.tensor(INT8, {1, 3}, {1.0F});
  file.op(kFullyConnected, {in, filter}, {out}, fb::FullyConnectedOptionsT{}).output(out);
  const auto network = checked(tflite::parse_network(file.bytes(), "test"));
  const auto real = tflite::to_float(network);
  REQUIRE(!real);
  CHECK(real.error().code == ErrorCode::kInvalidGraph);
  CHECK(real.error().place.op == "tensor 1 \"t1\"");
}

TEST_CASE("one operator runs on operands in place of those of its network") {
  const auto network = checked(tflite::parse_network(scaled_network().bytes(), "test"));
  const auto operand = tensor_of<std::int8_t>(DType::kINT8, {1, 1}, {-2});
  const std::vector<const Tensor*> operands{&operand};
  const auto outputs = checked(tflite::run_operator(network, 0, operands));
  CHECK(values_of<std::int8_t>(outputs.at(0)) == std::vector<std::int8_t>{11, 21});
}

TEST_CASE("an observer sees what operators write and the sums that they scale") {
  const auto network = checked(tflite::parse_network(scaled_network().bytes(), "test"));
  tflite::State state;
  tflite::RunOptions options;
  std::vector<tflite::SumRange> sums;
  options.observer = [&](const tflite::OperatorEvent& event) -> Result<void> {
    CHECK(event.op == 0);
    CHECK(event.outputs.size() == 1);
    sums.push_back(event.sums);
    return {};
  };
  checked(tflite::run(network, {tensor_of<std::int8_t>(DType::kINT8, {1, 1}, {-2})}, state, options));
  REQUIRE(sums.size() == 1);
  CHECK(sums[0].least == 4);
  CHECK(sums[0].greatest == 11);
  options.observer = [](const auto&) -> Result<void> { return fail(ErrorCode::kMismatch, "enough"); };
  CHECK(tflite::run(network, {Tensor(DType::kINT8, {1, 1})}, state, options).error().message == "enough");
}

TEST_CASE("the scales of a tensor of one axis lie along it, whatever axis the file names") {
  Tensor bias(DType::kINT32, {2});
  bias.data<std::int32_t>()[0] = 3;
  bias.data<std::int32_t>()[1] = 5;
  const Quantization quantization{.scale = {0.5F, 2.0F}, .zero_point = {}, .dimension = 3};
  CHECK(values_of<float>(checked(dequantised(bias, quantization))) == std::vector<float>{1.5F, 10});
}

TEST_CASE("floats become the nearest codes, halves away from zero, and stay in the range") {
  const Quantization quantization{.scale = {0.5F}, .zero_point = {3}, .dimension = 0};
  const auto codes = checked(
      quantised(tensor_of<float>(DType::kFP32, {5}, {0.25F, -0.25F, 1000, -1000, NAN}), quantization, DType::kINT8));
  CHECK(values_of<std::int8_t>(codes) == std::vector<std::int8_t>{4, 2, 127, -128, 3});
}
