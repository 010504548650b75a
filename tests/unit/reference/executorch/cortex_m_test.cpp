#include "tests/unit/reference/executorch/support.hpp"

#include <catch2/catch.hpp>

// ExecuTorch's kernels for Cortex-M. A multiplier of 2^30 with shift 1 is 1, with shift 0 a half.
using namespace macaw;
using namespace macaw::npu;
using macaw::npu::test::OneOperator;

namespace cortex_m_kernels {
namespace {

using Bytes = std::vector<std::int8_t>;
using Words = std::vector<std::int32_t>;
using Ints = std::vector<std::int64_t>;

constexpr std::int32_t kHalf = 1 << 30;

OneOperator& number(OneOperator& op, std::int64_t value) { return op.input({1}, DType::kINT64, Ints{value}); }
OneOperator& list(OneOperator& op, const Ints& values) {
  return op.input({std::int64_t(values.size())}, DType::kINT64, values);
}
OneOperator& words(OneOperator& op, const Words& values) {
  return op.input({std::int64_t(values.size())}, DType::kINT32, values);
}

template <class T = std::int8_t>
std::vector<T> result(OneOperator& op) {
  const auto done = op.run();
  INFO((done ? "" : done.error().message));
  REQUIRE(done);
  return op.out<T>();
}

std::string problem(OneOperator& op) {
  const auto done = op.run();
  return done ? "ran" : done.error().message;
}

/// Stride 1, no padding, no dilation.
void geometry(OneOperator& op, const Ints& padding = {0, 0}) { list(list(list(op, {1, 1}), padding), {1, 1}); }

/// Offsets, multipliers and shifts for two channels, range.
void requantisation(OneOperator& op, std::int64_t input_offset, std::int64_t output_offset) {
  number(number(op, input_offset), output_offset);
  words(words(op, {kHalf, kHalf}), {1, 0});
  number(number(op, -100), 100);
}

}  // namespace

TEST_CASE("a convolution for Cortex-M scales each channel", "[cortex_m]") {
  OneOperator op("cortex_m::quantized_conv2d");
  // Two columns of two channels; weights of two outputs, each 1 by 2 by 2.
  op.input({1, 1, 2, 2}, DType::kINT8, Bytes{1, 2, 3, 4});
  op.input({2, 1, 2, 2}, DType::kINT8, Bytes{1, 1, 1, 1, 1, 0, 0, -1});
  words(op, {10, -3});
  geometry(op);
  requantisation(op, 1, 5);
  op.output({1, 1, 1, 2}, DType::kINT8);
  // (2 + 3 + 4 + 5 + 10) + 5; (2 - 5 - 3) / 2 + 5
  CHECK(result(op) == Bytes{29, 2});
}

TEST_CASE("padding of a convolution for Cortex-M counts for nothing", "[cortex_m]") {
  OneOperator op("cortex_m::quantized_depthwise_conv2d");
  op.input({1, 1, 2, 2}, DType::kINT8, Bytes{1, 2, 3, 4});
  op.input({1, 1, 3, 2}, DType::kINT8, Bytes{1, 1, 1, 1, 1, 1}).absent();
  geometry(op, {0, 1});
  number(op, 1);
  requantisation(op, 10, 0);
  op.input({0}, DType::kUINT8, std::vector<std::uint8_t>{});  // scratch memory
  op.output({1, 1, 2, 2}, DType::kINT8);
  // Channel 0: 11 + 13 in both places; channel 1: half of 12 + 14.
  CHECK(result(op) == Bytes{24, 13, 24, 13});
  OneOperator misfit("cortex_m::quantized_depthwise_conv2d");
  misfit.input({1, 1, 2, 2}, DType::kINT8, Bytes{1, 2, 3, 4});
  misfit.input({1, 1, 3, 1}, DType::kINT8, Bytes{1, 1, 1}).absent();
  geometry(misfit, {0, 1});
  number(misfit, 1);
  requantisation(misfit, 10, 0);
  misfit.output({1, 1, 2, 2}, DType::kINT8);
  CHECK(problem(misfit).find("do not fit each other") != std::string::npos);
}

TEST_CASE("a linear layer for Cortex-M takes biases, or sums that have them", "[cortex_m]") {
  for (const bool has_sums : {false, true}) {
    OneOperator op("cortex_m::quantized_linear");
    op.input({1, 2}, DType::kINT8, Bytes{3, -4}).input({2, 2}, DType::kINT8, Bytes{1, 2, -1, 1});
    if (has_sums) op.absent().input({2}, DType::kINT32, Words{100 + 2 * 3, 7});
    else op.input({2}, DType::kINT32, Words{100, 7}).absent();
    number(number(number(op, 2), 0), -1);
    list(list(op, {kHalf}), {1});
    number(number(op, 127), -128).output({1, 2}, DType::kINT8);
    // (5 - 4 + 100) - 1; (-5 - 2 + 7) - 1
    CHECK(result(op) == Bytes{100, -1});
  }
}

TEST_CASE("sums and products for Cortex-M", "[cortex_m]") {
  OneOperator add("cortex_m::quantized_add");
  add.input({2}, DType::kINT8, Bytes{10, -20});
  number(number(number(add, 2), kHalf), 1);
  add.input({2}, DType::kINT8, Bytes{4, 100});
  number(number(number(add, 0), kHalf), 0);
  // Back from 20 bits more.
  number(number(number(add, 1), kHalf), -19);
  add.output({2}, DType::kINT8);
  // 8 + 2 + 1; -22 + 50 + 1
  CHECK(result(add) == Bytes{11, 29});
  OneOperator mul("cortex_m::quantized_mul");
  number(mul.input({2}, DType::kINT8, Bytes{10, -20}), 2);
  number(mul.input({1}, DType::kINT8, Bytes{5}), 0);
  number(number(number(mul, -3), kHalf), 0).output({2}, DType::kINT8);
  // 40 / 2 - 3; -110 / 2 - 3
  CHECK(result(mul) == Bytes{17, -58});
  OneOperator multiplier("cortex_m::quantized_mul");
  number(multiplier.input({1}, DType::kINT8, Bytes{1}), 0);
  number(multiplier.input({1}, DType::kINT8, Bytes{1}), 0);
  number(number(number(multiplier, 0), kHalf), 32).output({1}, DType::kINT8);
  CHECK(problem(multiplier).find("shift 32") != std::string::npos);
}

TEST_CASE("means of windows and padding for Cortex-M", "[cortex_m]") {
  OneOperator mean("cortex_m::quantized_avg_pool2d");
  mean.input({1, 2, 2, 1}, DType::kINT8, Bytes{1, 2, 3, -9});
  list(list(list(mean, {2, 2}), {1, 1}), {0, 0}).output({1, 1, 1, 1}, DType::kINT8);
  CHECK(result(mean) == Bytes{-1});  // -3 / 4 with halves away from zero
  OneOperator edge("cortex_m::quantized_avg_pool2d");
  edge.input({1, 1, 2, 1}, DType::kINT8, Bytes{4, 5});
  list(list(list(edge, {1, 2}), {1, 1}), {0, 1}).output({1, 1, 3, 1}, DType::kINT8);
  CHECK(result(edge) == Bytes{4, 5, 5});
  OneOperator pad("cortex_m::pad");
  pad.input({1, 1, 1, 2}, DType::kINT8, Bytes{1, 2});
  number(list(list(pad, {0, 0, 1, 0}), {0, 0, 0, 1}), -7).output({1, 1, 2, 3}, DType::kINT8);
  CHECK(result(pad) == Bytes{-7, -7, -7, 1, 2, -7});
}

TEST_CASE("a kernel for Cortex-M has a multiplier for each channel, or one for all", "[cortex_m]") {
  OneOperator convolution("cortex_m::quantized_conv2d");
  convolution.input({1, 1, 1, 1}, DType::kINT8, Bytes{1}).input({2, 1, 1, 1}, DType::kINT8, Bytes{1, 1}).absent();
  geometry(convolution);
  number(number(convolution, 0), 0);
  words(words(convolution, {kHalf}), {1});
  number(number(convolution, -128), 127).output({1, 1, 1, 2}, DType::kINT8);
  CHECK(problem(convolution).find("1 multipliers and 1 shifts, expected 2 of each") != std::string::npos);
  OneOperator linear("cortex_m::quantized_linear");
  linear.input({1, 1}, DType::kINT8, Bytes{1}).input({2, 1}, DType::kINT8, Bytes{1, 1}).absent().absent();
  number(number(number(linear, 0), 0), 0);
  list(list(linear, {kHalf, kHalf}), {1, 1});
  number(number(linear, 127), -128).output({1, 2}, DType::kINT8);
  CHECK(problem(linear).find("2 multipliers and 2 shifts, expected 1 of each") != std::string::npos);
}

TEST_CASE("a range for Cortex-M has two bounds, and the low byte of a result is stored", "[cortex_m]") {
  const auto product = [](const Ints& bounds) {
    OneOperator op("cortex_m::quantized_mul");
    number(op.input({1}, DType::kINT8, Bytes{100}), 0);
    number(op.input({1}, DType::kINT8, Bytes{2}), 0);
    number(number(number(op, 0), kHalf), 1);
    for (const auto bound : bounds) number(op, bound);
    op.output({1}, DType::kINT8);
    return op;
  };
  auto free = product({}), wide = product({-300, 300}), single = product({-128}), crossed = product({1, 0});
  CHECK(result(free) == Bytes{127});
  CHECK(result(wide) == Bytes{static_cast<std::int8_t>(200)});
  CHECK(problem(single).find("is absent") != std::string::npos);
  CHECK(problem(crossed).find("outputs from 1 to 0") != std::string::npos);
}

TEST_CASE("windows of a mean for Cortex-M may end behind the input with ceil_mode", "[cortex_m]") {
  const auto mean = [](bool ceil_mode, std::int64_t width) {
    OneOperator op("cortex_m::quantized_avg_pool2d");
    op.input({1, 1, 3, 1}, DType::kINT8, Bytes{1, 3, 7});
    list(list(list(op, {1, 2}), {1, 2}), {0, 0}).input({1}, DType::kBOOL, Bytes{ceil_mode});
    op.output({1, 1, width, 1}, DType::kINT8);
    return op;
  };
  auto floor = mean(false, 1), ceiling = mean(true, 2), wide = mean(false, 2), narrow = mean(true, 1);
  CHECK(result(floor) == Bytes{2});
  CHECK(result(ceiling) == Bytes{2, 7});
  CHECK(problem(wide).find("2 elements along axis 2, expected 1") != std::string::npos);
  CHECK(problem(narrow).find("1 elements along axis 2, expected 2") != std::string::npos);
}

}  // namespace cortex_m_kernels
