#include "workflow/compare/judge/constant_check.hpp"

#include <catch2/catch.hpp>

#include <cmath>

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

namespace {

constexpr std::uint32_t kHalf = 1U << 30;  // times 2^-31

/// The depthwise operator with these biases, and a factor of a half for every channel, beside an operation for all.
struct Scaled {
  Reference reference = depthwise();
  Record record = operation({10, 11, 20, 21, 30, 31, 40, 41});

  explicit Scaled(const std::vector<std::int32_t>& biases) {
    Tensor bias(DType::kINT32, {4});
    std::ranges::copy(biases, bias.data<std::int32_t>().begin());
    reference.tensors.push_back({.name = "bias", .constant = true, .value = bias});
    reference.operators[0].inputs.push_back(3);
    for (std::size_t i = 0; i < 3; ++i)
      reference.tensors[i].quantization = std::make_shared<Quantization>(Quantization{{i == 1 ? 0.5F : 1.0F}, {}});
    record.operation.ofm.c = 4;
    for (const auto b : biases) record.constants.scales.push_back({b, kHalf, 31});
  }
  [[nodiscard]] ConstantCheck check() const {
    return check_constants(reference, {record}, *npu::find_accelerator("ethos-u55-128"));
  }
};

}  // namespace

TEST_CASE("biases that half of the channels hold are compared; where fewer do, they are kept in another form") {
  Scaled s({100, 200, 300, 400});
  auto& own = s.record.constants.scales;
  own[0].bias = own[3].bias = 5;
  auto result = s.check();
  REQUIRE(result.differences.size() == 1);
  CHECK(result.biases.compared == 1);
  CHECK((result.differences[0].channel == 0 && result.differences[0].expected == 100 &&
         result.differences[0].actual == 5));
  CHECK((result.differences[0].different == 2 && result.differences[0].channels == 2));
  own[1].bias = 5;
  result = s.check();
  CHECK(result.differences.empty());
  CHECK((result.biases.operators == 1 && result.biases.compared == 0));
  CHECK(result.scales.compared == 1);
}

TEST_CASE("factors may be rounded to an 8192th, all of an operation's in the same way") {
  Scaled s({1, 2, 3, 4});
  auto& own = s.record.constants.scales;
  const auto off = [&](std::uint32_t difference) {
    for (auto& scale : own) scale.scale = kHalf + difference;
    return s.check();
  };
  for (const std::uint32_t difference : {1U, kHalf / 8192}) {
    const auto result = off(difference);
    CHECK(result.differences.empty());
    CHECK(result.scales.compared == 1);
  }
  auto result = off(kHalf / 8192 + 1);
  CHECK(result.differences.empty());
  CHECK((result.scales.operators == 1 && result.scales.compared == 0));
  // One channel that is off by more than the others.
  off(kHalf / 8192);
  own[2].scale = kHalf + kHalf / 8192 + 1;
  result = s.check();
  REQUIRE(result.differences.size() == 1);
  CHECK((result.differences[0].channel == 2 && result.scales.compared == 1));
  // Beside exact ones every other factor is wrong.
  off(0);
  own[1].scale = kHalf + 1;
  result = s.check();
  REQUIRE(result.differences.size() == 1);
  CHECK((result.differences[0].channel == 1 && result.differences[0].actual == kHalf + 1));
  // The same factor with another multiplier.
  for (auto& scale : own) scale = {scale.bias, kHalf / 4, 29};
  result = s.check();
  CHECK((result.differences.empty() && result.scales.compared == 1));
}

TEST_CASE("factors under which every sum of 32 bits is zero are the same, unless sums have more bits") {
  Scaled s({1, 2, 3, 4});
  s.reference.tensors[1].quantization =
      std::make_shared<Quantization>(Quantization{{0.5F, 0.5F, 0.5F, std::ldexp(1.0F, -40)}, {}});
  auto& last = s.record.constants.scales[3];
  last = {4, 0, 0};
  CHECK(s.check().differences.empty());
  last = {4, 1, 33};  // a half of the greatest sum's unit
  CHECK(s.check().differences.empty());
  last = {4, 1, 32};
  CHECK(s.check().differences.size() == 1);
  last = {4, 0, 0};
  s.record.operation.acc_format = npu::AccFormat::kI40;
  CHECK(s.check().differences.size() == 1);
}

TEST_CASE("a table belongs to the operator with three quarters of its entries, and its wrong bytes are counted") {
  Reference reference;
  std::vector<std::byte> entries(256);
  for (std::size_t i = 0; i < entries.size(); ++i) entries[i] = static_cast<std::byte>(i);
  reference.operators = {{.kind = "TANH", .text = "operator 0", .inputs = {}, .outputs = {}, .table = entries}};
  Record record;
  record.constants.table = entries;
  const auto check_one = [&] { return check_constants(reference, {record}, *npu::find_accelerator("ethos-u55-128")); };
  auto result = check_one();
  CHECK((result.differences.empty() && result.tables.compared == 1 && result.not_found.empty()));
  const auto spoil = [&](std::size_t first, std::size_t count) {
    for (std::size_t i = 0; i < count; ++i) record.constants.table[first + i] ^= std::byte{0x80};
  };
  spoil(130, 64);
  result = check_one();
  REQUIRE(result.differences.size() == 1);
  const auto& wrong = result.differences[0];
  CHECK((wrong.what == ConstantDifference::What::kTable && wrong.channel == 130 && wrong.different == 64));
  CHECK((wrong.expected == static_cast<std::int8_t>(130) && wrong.actual == 2));
  CHECK(to_text(wrong, reference) ==
        "operator 0: byte 130 of the table: -126 in the graph, 2 in the stream; 64 bytes differ");
  spoil(0, 1);
  result = check_one();
  CHECK((result.differences.empty() && result.tables.operators == 1 && result.tables.compared == 0));
  CHECK(result.not_found == std::vector<std::string>{"operator 0"});
  reference.operators[0].kind = "RELU6";  // which the NPU has other means for
  result = check_one();
  CHECK((result.tables.operators == 0 && result.not_found.empty()));
}

TEST_CASE("of several wrong weights the first in the order of the stream is told, which is where it broke") {
  // Two filters of 16 input channels. The stream has 8 input channels of both filters, then the other 8 of both.
  Tensor filters(DType::kINT8, {2, 1, 1, 16});
  for (std::int8_t i = 0; auto& weight : filters.data<std::int8_t>()) weight = ++i;
  Reference reference;
  reference.tensors = {{.name = "in", .value = Tensor(DType::kINT8, {1, 1, 1, 16})},
                       {.name = "filters", .constant = true, .value = filters},
                       {.name = "out", .value = Tensor(DType::kINT8, {1, 1, 1, 2})}};
  reference.operators = {{.kind = "CONV_2D", .text = "operator 0", .inputs = {0, 1}, .outputs = {2}}};
  Record record;
  auto& op = record.operation;
  op.kind = npu::OpKind::kConv;
  op.block = {2, 2, 16};
  op.ifm.h = op.ifm.w = op.ofm.h = op.ofm.w = 1;
  op.ifm.c = 16;
  op.ofm.c = 2;
  op.ifm.is_signed = true;
  for (const auto weight : filters.data<std::int8_t>()) record.constants.weights.push_back(weight);
  record.constants.weights[8] += 1;   // filter 0, input channel 8
  record.constants.weights[16] += 1;  // filter 1, input channel 0
  const auto result = check_constants(reference, {record}, *npu::find_accelerator("ethos-u55-128"));
  REQUIRE(result.differences.size() == 1);
  const auto& first = result.differences[0];
  CHECK((first.channel == 1 && first.tap == std::array{0, 0, 0} && first.expected == 17 && first.actual == 18));
  CHECK((first.different == 2 && first.channels == 2));
}
