#include "tests/unit/reference/executorch/support.hpp"

#include <catch2/catch.hpp>

#include <cmath>

// Expected values follow the kernels of pytorch/executorch, kernels/portable/cpu and kernels/quantized/cpu.

using namespace macaw;
using namespace macaw::npu;
using macaw::npu::test::OneOperator;

namespace {

using Ints = std::vector<std::int64_t>;
using Bytes = std::vector<std::int8_t>;
using Floats = std::vector<float>;

OneOperator& number(OneOperator& op, std::int64_t value) { return op.input({1}, DType::kINT64, Ints{value}); }
OneOperator& list(OneOperator& op, const Ints& values) {
  return op.input({std::int64_t(values.size())}, DType::kINT64, values);
}

template <class T>
std::vector<T> result(OneOperator& op) {
  const auto done = op.run();
  INFO((done ? std::string() : done.error().to_string()));
  REQUIRE(done);
  return op.out<T>();
}

std::string problem(OneOperator& op) {
  const auto done = op.run();
  return done ? "ran" : done.error().message;
}

}  // namespace

TEST_CASE("ExecuTorch's sums and products broadcast and wrap") {
  OneOperator add("aten::add");
  add.input({2, 2}, DType::kINT8, Bytes{1, 127, -3, 4})
      .input({2}, DType::kINT8, Bytes{1, 2})
      .output({2, 2}, DType::kINT8);
  number(add, 2);
  CHECK(result<std::int8_t>(add) == Bytes{3, -125, -1, 8});
  OneOperator mul("aten::mul");
  mul.input({3}, DType::kFP32, Floats{1.5F, -2, 3}).input({1}, DType::kFP32, Floats{2}).output({3}, DType::kFP32);
  CHECK(result<float>(mul) == Floats{3, -4, 6});
  OneOperator scaled("aten::mul.Scalar_out");
  scaled.input({2}, DType::kFP32, Floats{1, -2})
      .input({1}, DType::kFP64, std::vector<double>{0.5})
      .output({2}, DType::kFP32);
  CHECK(result<float>(scaled) == Floats{0.5F, -1});
  OneOperator more("aten::add.Scalar_out");
  more.input({2}, DType::kINT32, std::vector<std::int32_t>{1, -2}).output({2}, DType::kINT32);
  number(number(more, 10), 3);
  CHECK(result<std::int32_t>(more) == std::vector<std::int32_t>{31, 28});
  OneOperator mixed("aten::mul");
  mixed.input({1}, DType::kFP32, Floats{1}).input({1}, DType::kINT8, Bytes{2}).output({1}, DType::kFP32);
  CHECK(problem(mixed) != "ran");
}

TEST_CASE("ExecuTorch's copies move elements") {
  const Bytes six = {1, 2, 3, 4, 5, 6};
  OneOperator permute("aten::permute_copy");
  permute.input({1, 2, 3}, DType::kINT8, six).output({3, 1, 2}, DType::kINT8);
  list(permute, {2, 0, -2});
  CHECK(result<std::int8_t>(permute) == Bytes{1, 4, 2, 5, 3, 6});
  OneOperator transpose("aten::transpose_copy.int_out");
  transpose.input({2, 3}, DType::kINT8, six).output({3, 2}, DType::kINT8);
  number(number(transpose, 0), -1);
  CHECK(result<std::int8_t>(transpose) == Bytes{1, 4, 2, 5, 3, 6});
  OneOperator slice("aten::slice_copy.Tensor_out");
  slice.input({2, 3}, DType::kINT8, six).output({2, 2}, DType::kINT8);
  number(slice, 1).absent();
  number(number(slice, 9), 2);
  CHECK(result<std::int8_t>(slice) == Bytes{1, 3, 4, 6});
  OneOperator cat("aten::cat");
  cat.input({2, 1}, DType::kINT8, Bytes{1, 2})
      .input({0}, DType::kINT8, Bytes{})
      .input({2, 2}, DType::kINT8, Bytes{3, 4, 5, 6});
  number(cat, -1).output({2, 3}, DType::kINT8);
  CHECK(result<std::int8_t>(cat) == Bytes{1, 3, 4, 2, 5, 6});
  OneOperator view("aten::view_copy");
  view.input({2, 3}, DType::kINT8, six).output({3, 2}, DType::kINT8);
  list(view, {3, -1});
  CHECK(result<std::int8_t>(view) == six);
  OneOperator twice("aten::permute_copy");
  twice.input({1, 2}, DType::kINT8, Bytes{1, 2}).output({1, 1}, DType::kINT8);
  list(twice, {0, 0});
  CHECK(problem(twice).find("named twice") != std::string::npos);
}

TEST_CASE("ExecuTorch's softmax, argmax and embedding") {
  OneOperator softmax("aten::_softmax");
  softmax.input({2, 2}, DType::kFP32, Floats{0, 0, 1000, 1001}).output({2, 2}, DType::kFP32);
  number(softmax, 1).input({1}, DType::kBOOL, Bytes{0});
  const auto shares = result<float>(softmax);
  CHECK(shares[0] == 0.5F);
  CHECK(shares[3] == Approx(1 / (1 + std::exp(-1.0))));
  OneOperator argmax("aten::argmax");
  argmax.input({2, 3}, DType::kFP32, Floats{1, NAN, NAN, 4, 4, 3}).output({2, 1}, DType::kINT64);
  number(argmax, 1).input({1}, DType::kBOOL, Bytes{1});
  CHECK(result<std::int64_t>(argmax) == Ints{1, 0});
  OneOperator flat("aten::argmax");
  flat.input({2, 2}, DType::kINT8, Bytes{1, 2, 9, 9})
      .absent()
      .input({1}, DType::kBOOL, Bytes{0})
      .output({}, DType::kINT64);
  CHECK(result<std::int64_t>(flat) == Ints{2});
  const auto embedding = [](std::int64_t last) {
    OneOperator op("aten::embedding");
    op.input({3, 2}, DType::kFP32, Floats{1, 2, 3, 4, 5, 6}).input({2}, DType::kINT64, Ints{2, last});
    number(op, -1).input({1}, DType::kBOOL, Bytes{0}).input({1}, DType::kBOOL, Bytes{0}).output({2, 2}, DType::kFP32);
    return op;
  };
  auto rows = embedding(0), outside = embedding(3);
  CHECK(result<float>(rows) == Floats{5, 6, 1, 2});
  CHECK(problem(outside).find("none of a row") != std::string::npos);
}

TEST_CASE("ExecuTorch's conversions around a delegate, portable and for Cortex-M") {
  const auto* const library = GENERATE("quantized_decomposed", "cortex_m");
  const auto arguments = [](OneOperator& op) {
    op.input({1}, DType::kFP32, Floats{0.5F});
    for (const std::int32_t argument : {1, -100, 100})
      op.input({1}, DType::kINT32, std::vector<std::int32_t>{argument});
  };
  OneOperator quantize(library + std::string("::quantize_per_tensor"));
  quantize.input({5}, DType::kFP32, Floats{0.75F, 1.25F, -0.25F, 60, -60});
  arguments(quantize);
  quantize.output({5}, DType::kINT8);
  CHECK(result<std::int8_t>(quantize) == Bytes{3, 3, 1, 100, -100});
  OneOperator dequantize(library + std::string("::dequantize_per_tensor"));
  dequantize.input({3}, DType::kINT8, Bytes{1, -128, 127});
  arguments(dequantize);
  dequantize.output({3}, DType::kFP32);
  CHECK(result<float>(dequantize) == Floats{0, -64.5F, 63});
}

TEST_CASE("ExecuTorch multiplies by the rounded inverse of a scale, and refuses arguments that no type holds") {
  const auto quantize = [](const Floats& values, float scale, const std::vector<std::int32_t>& arguments) {
    OneOperator op("quantized_decomposed::quantize_per_tensor");
    op.input({std::int64_t(values.size())}, DType::kFP32, values).input({1}, DType::kFP32, Floats{scale});
    for (const auto argument : arguments) op.input({1}, DType::kINT32, std::vector<std::int32_t>{argument});
    op.output({std::int64_t(values.size())}, DType::kINT8);
    return op;
  };
  // The quotient is a little above -91.5, the product with the inverse is not.
  auto tie = quantize({-9.15F}, 0.1F, {0, -128, 127});
  CHECK(result<std::int8_t>(tie) == Bytes{-92});
  auto no_number = quantize({NAN, INFINITY, -INFINITY}, 0.5F, {5, -7, 127});
  CHECK(result<std::int8_t>(no_number) == Bytes{0, 127, -7});
  for (const auto& range : {std::vector{0, -129, 127}, {0, -128, 128}, {0, 1, 0}}) {
    auto op = quantize({1}, 0.5F, range);
    CHECK(problem(op).find("range of values") != std::string::npos);
  }
  for (const float scale : {0.0F, -1.0F, float(NAN), float(INFINITY)}) {
    auto op = quantize({1}, scale, {0, -128, 127});
    CHECK(problem(op).find("positive number") != std::string::npos);
  }
}

TEST_CASE("ExecuTorch's conversions per channel") {
  OneOperator quantize("quantized_decomposed::quantize_per_channel");
  quantize.input({2, 2}, DType::kFP32, Floats{0.5F, -1, 100, 0.25F})
      .input({2}, DType::kFP64, std::vector<double>{0.5, 0.1})
      .input({2}, DType::kINT64, Ints{1, -2})
      .output({2, 2}, DType::kINT8);
  for (const std::int64_t argument : {0, -127, 127, 1}) number(quantize, argument);
  CHECK(result<std::int8_t>(quantize) == Bytes{2, -1, 127, 0});
  OneOperator dequantize("quantized_decomposed::dequantize_per_channel");
  dequantize.input({2, 2}, DType::kINT8, Bytes{2, -1, 127, 0}).input({2}, DType::kFP32, Floats{0.5F, 2}).absent();
  for (const std::int64_t argument : {1, -128, 127, 1}) number(dequantize, argument);
  dequantize.output({2, 2}, DType::kFP32);
  CHECK(result<float>(dequantize) == Floats{1, -2, 63.5F, 0});
}
