#include "workflow/compare/judge/constant_check.hpp"

#include <catch2/catch.hpp>

#include "tests/support/checked.hpp"

using namespace macaw;
using namespace macaw::compare;
using Weights = std::vector<std::int16_t>;

namespace {

/// A depthwise operator of one row of two taps: two channels of the input, each with two filters.
Reference depthwise() {
  Tensor filters(DType::kINT8, {1, 1, 2, 4});
  std::ranges::copy(std::vector<std::int8_t>{10, 20, 30, 40, 11, 21, 31, 41}, filters.data<std::int8_t>().begin());
  Reference reference;
  reference.tensors = {{.name = "in", .value = Tensor(DType::kINT8, {1, 1, 2, 2})},
                       {.name = "filters", .constant = true, .value = filters},
                       {.name = "out", .value = Tensor(DType::kINT8, {1, 1, 1, 4})}};
  reference.operators = {{.kind = "DEPTHWISE_CONV_2D", .text = "operator 0", .inputs = {0, 1}, .outputs = {2}}};
  reference.inputs = {0};
  reference.outputs = {2};
  return reference;
}

/// An operation for two channels, each with two taps.
Record operation(Weights weights) {
  Record record;
  record.operation.kind = npu::OpKind::kDepthwise;
  record.operation.ofm.c = 2;
  record.constants.weights = std::move(weights);
  return record;
}

ConstantCheck check(Weights first, Weights second) {
  return check_constants(depthwise(), {operation(std::move(first)), operation(std::move(second))},
                         *npu::find_accelerator("ethos-u85-256"));
}

}  // namespace

TEST_CASE("channels of a depthwise operator lie side by side or one for each channel of the input") {
  for (const auto& [first, second] : {std::pair<Weights, Weights>{{10, 11, 20, 21}, {30, 31, 40, 41}},
                                      std::pair<Weights, Weights>{{10, 11, 30, 31}, {20, 21, 40, 41}}}) {
    const auto result = check(first, second);
    CHECK(result.differences.empty());
    CHECK(result.operators_of.size() == 2);
    CHECK(result.weights.compared == 1);
  }
}

TEST_CASE("a wrong weight of channels that lie apart is told with its channel of the operator") {
  const auto result = check({10, 11, 30, 31}, {20, 21, 40, 42});
  REQUIRE(result.differences.size() == 1);
  CHECK(result.differences[0].record == 1);
  CHECK(result.differences[0].channel == 3);
  CHECK(result.differences[0].expected == 41);
  CHECK(result.differences[0].actual == 42);
}

TEST_CASE("a wrong bias or factor is told with its channel of the operator, and what it should be") {
  auto reference = depthwise();
  Tensor bias(DType::kINT32, {4});
  std::ranges::copy(std::vector{100, 200, 300, 400}, bias.data<std::int32_t>().begin());
  reference.tensors.push_back({.name = "bias", .constant = true, .value = bias});
  reference.operators[0].inputs.push_back(3);
  const std::vector<std::vector<float>> scales = {{0.5F}, {0.5F, 0.25F, 0.125F, 1}, {1}};
  for (std::size_t i = 0; i < scales.size(); ++i)
    reference.tensors[i].quantization = std::make_shared<Quantization>(Quantization{scales[i], {}});
  Record record = operation({10, 11, 20, 21, 30, 31, 40, 41});
  record.operation.ofm.c = 4;
  constexpr std::uint32_t kHalf = 1U << 30;  // times 2^-31
  record.constants.scales = {{100, kHalf, 32}, {200, kHalf, 33}, {300, kHalf / 2, 33}, {400, kHalf, 31}};
  const auto check_one = [&] { return check_constants(reference, {record}, *npu::find_accelerator("ethos-u55-128")); };

  auto result = check_one();
  CHECK(result.differences.empty());
  CHECK(result.biases.compared == 1);
  CHECK(result.scales.compared == 1);

  record.constants.scales[2].bias = 301;
  record.constants.scales[1].shift = 32;
  result = check_one();
  REQUIRE(result.differences.size() == 2);
  const auto &wrong_bias = result.differences[0], &wrong_scale = result.differences[1];
  CHECK(wrong_bias.what == ConstantDifference::What::kBias);
  CHECK(wrong_bias.channel == 2);
  CHECK(wrong_bias.expected == 300);
  CHECK(wrong_bias.actual == 301);
  CHECK(wrong_scale.what == ConstantDifference::What::kScale);
  CHECK(wrong_scale.channel == 1);
  CHECK(wrong_scale.expected_shift == 33);
  CHECK(wrong_scale.actual_shift == 32);
}
