#include "workflow/compare/constant_check.hpp"

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
