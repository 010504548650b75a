#include <algorithm>
#include <limits>

#include <catch2/catch.hpp>

#include "tests/unit/reference/tflite/support.hpp"

using namespace macaw;
using namespace macaw::test;
using enum fb::TensorType;

namespace {

fb::Conv2DOptionsT same_padding() {
  fb::Conv2DOptionsT options;
  options.padding = fb::Padding::SAME;
  options.stride_w = options.stride_h = 1;
  return options;
}

}  // namespace

TEST_CASE("CONV_2D leaves the padding out, adds the bias and scales each channel") {
  TfliteFile file;
  const int in = file.input(INT8, {1, 2, 2, 1}, {0.5F}, {-1});
  const int filter = file.constant<std::int8_t>(INT8, {2, 3, 3, 1}, std::vector<std::int8_t>(18, 1), {1.0F, 0.25F});
  const int bias = file.constant<std::int32_t>(INT32, {2}, {0, 4}, {0.5F, 0.125F});
  const int out = file.tensor(INT8, {1, 2, 2, 2}, {0.5F}, {3});
  file.op(kConv2d, {in, filter, bias}, {out}, same_padding()).output(out);
  const auto values = tensor_of<std::int8_t>(DType::kINT8, {1, 2, 2, 1}, {0, 1, 2, 3});
  // Each window covers all four: 1 + 2 + 3 + 4 = 10; 10 * 1 + 3 and (10 + 4) / 4 = 3.5, which rounds away from zero.
  CHECK(values_of<std::int8_t>(checked(run_file(file, {values})).outputs[0]) ==
        std::vector<std::int8_t>{13, 7, 13, 7, 13, 7, 13, 7});
}

TEST_CASE("CONV_2D in groups gives each its own channels of the input") {
  TfliteFile file;
  const int in = file.input(INT8, {1, 1, 1, 4}, {1.0F});
  const int filter = file.constant<std::int8_t>(INT8, {2, 1, 1, 2}, {1, 2, 3, -1}, {1.0F});
  const int out = file.tensor(INT8, {1, 1, 1, 2}, {1.0F});
  file.op(kConv2d, {in, filter}, {out}, same_padding()).output(out);
  const auto values = tensor_of<std::int8_t>(DType::kINT8, {1, 1, 1, 4}, {3, 5, 7, 11});
  CHECK(values_of<std::int8_t>(checked(run_file(file, {values})).outputs[0]) == std::vector<std::int8_t>{13, 10});
}

TEST_CASE("CONV_2D refuses a filter with a zero point and a wrong output shape") {
  const auto build = [](std::int64_t zero_point, int width) {
    TfliteFile file;
    const int in = file.input(INT8, {1, 2, 2, 1}, {1.0F});
    const int filter = file.constant<std::int8_t>(INT8, {1, 1, 1, 1}, {1}, {1.0F}, {zero_point});
    const int out = file.tensor(INT8, {1, 2, width, 1}, {1.0F});
    file.op(kConv2d, {in, filter}, {out}, same_padding()).output(out);
    return run_file(file, {Tensor(DType::kINT8, {1, 2, 2, 1})});
  };
  CHECK(build(0, 2));
  CHECK(build(1, 2).error().code == ErrorCode::kUnsupported);
  CHECK(build(0, 3).error().code == ErrorCode::kInvalidGraph);
  CHECK(build(0, 3).error().place.op == "operator 0 (CONV_2D, version 1)");
}

TEST_CASE("floats take a filter of integers as the values that it stands for") {
  TfliteFile file;
  const int in = file.input(FLOAT32, {1, 2});
  const int filter = file.constant<std::int8_t>(INT8, {2, 2}, {1, 2, 3, -4}, {0.5F}, {1});
  const int out = file.tensor(FLOAT32, {1, 2});
  file.op(kFullyConnected, {in, filter}, {out}, fb::FullyConnectedOptionsT{}).output(out);
  const auto run = checked(run_file(file, {tensor_of<float>(DType::kFP32, {1, 2}, {10, 100})}));
  CHECK(values_of<float>(run.outputs[0]) == std::vector<float>{50, -240});
}

TEST_CASE("CONV_2D of floats adds in the order of the window and leaves the padding out, whatever the filter holds") {
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  for (const float corner : {3.0F, kInfinity}) {
    TfliteFile file;
    const int in = file.input(FLOAT32, {1, 2, 2, 1});
    const int filter = file.constant<float>(FLOAT32, {2, 3, 3, 1},
                                            {1, 1, 1, 1, 1, 1, 1, 1, 1,  //
                                             0, 0, 0, 0, 1, 0, 0, 0, corner});
    const int bias = file.constant<float>(FLOAT32, {2}, {0.5F, 0});
    const int out = file.tensor(FLOAT32, {1, 2, 2, 2});
    file.op(kConv2d, {in, filter, bias}, {out}, same_padding()).output(out);
    const auto run = checked(run_file(file, {tensor_of<float>(DType::kFP32, {1, 2, 2, 1}, {1, 2, 3, 4})}));
    // Without an activation a result is clamped to what is finite, as in the reference kernel.
    const float first = std::min(1 + 4 * corner, std::numeric_limits<float>::max());
    CHECK(values_of<float>(run.outputs[0]) == std::vector<float>{10.5F, first, 10.5F, 2, 10.5F, 3, 10.5F, 4});
  }
}

TEST_CASE("CONV_2D refuses an input without channels") {
  TfliteFile file;
  const int in = file.input(INT8, {1, 2, 2, 0}, {1.0F});
  const int filter = file.constant<std::int8_t>(INT8, {1, 1, 1, 1}, {1}, {1.0F});
  const int out = file.tensor(INT8, {1, 2, 2, 1}, {1.0F});
  file.op(kConv2d, {in, filter}, {out}, same_padding()).output(out);
  const auto run = run_file(file, {Tensor(DType::kINT8, {1, 2, 2, 0})});
  REQUIRE_FALSE(run);
  CHECK(run.error().message == "a filter of shape [1, 1, 1, 1] for an input of shape [1, 2, 2, 0]");
}

TEST_CASE("FULLY_CONNECTED takes the zero point of a filter with one scale from its weights") {
  TfliteFile file;
  const int in = file.input(INT8, {1, 2}, {1.0F}, {1});
  const int filter = file.constant<std::int8_t>(INT8, {1, 2}, {5, -3}, {1.0F}, {2});
  const int out = file.tensor(INT8, {1, 1}, {1.0F});
  file.op(kFullyConnected, {in, filter}, {out}, fb::FullyConnectedOptionsT{}).output(out);
  const auto values = tensor_of<std::int8_t>(DType::kINT8, {1, 2}, {4, 11});
  // (4 - 1) * (5 - 2) + (11 - 1) * (-3 - 2)
  CHECK(values_of<std::int8_t>(checked(run_file(file, {values})).outputs[0]) == std::vector<std::int8_t>{-41});
}

TEST_CASE("weights of 4 bits lie two in a byte, the low half first, with a sign") {
  TfliteFile file;
  const int in = file.input(INT8, {1, 4}, {1.0F});
  const int filter = file.constant<std::uint8_t>(INT4, {1, 4}, {0xD5, 0x78}, {1.0F});
  const int out = file.tensor(INT8, {1, 1}, {1.0F});
  file.op(kFullyConnected, {in, filter}, {out}, fb::FullyConnectedOptionsT{}).output(out);
  for (int tap = 0; tap < 4; ++tap) {
    Tensor one(DType::kINT8, {1, 4});
    one.data<std::int8_t>()[static_cast<std::size_t>(tap)] = 1;
    CHECK(values_of<std::int8_t>(checked(run_file(file, {one})).outputs[0])[0] ==
          std::array{5, -3, -8, 7}[std::size_t(tap)]);
  }
}

TEST_CASE("DEPTHWISE_CONV_2D makes several channels of a single one") {
  TfliteFile file;
  const int in = file.input(INT8, {1, 1, 2, 1}, {1.0F});
  const int filter = file.constant<std::int8_t>(INT8, {1, 1, 2, 3}, {1, 2, 3, 4, -5, 6}, {1.0F});
  const int out = file.tensor(INT8, {1, 1, 1, 3}, {1.0F});
  fb::DepthwiseConv2DOptionsT options;
  options.padding = fb::Padding::VALID;
  options.stride_w = options.stride_h = 1;
  file.op(kDepthwiseConv2d, {in, filter}, {out}, options).output(out);
  const auto values = tensor_of<std::int8_t>(DType::kINT8, {1, 1, 2, 1}, {10, 2});
  CHECK(values_of<std::int8_t>(checked(run_file(file, {values})).outputs[0]) == std::vector<std::int8_t>{18, 10, 42});
}

TEST_CASE("ADD of int8 broadcasts, scales both inputs and rounds twice") {
  TfliteFile file;
  const int a = file.input(INT8, {2, 2}, {0.5F}, {1}), b = file.input(INT8, {2}, {0.25F}, {-2});
  const int out = file.tensor(INT8, {2, 2}, {0.5F}, {0});
  file.op(kAdd, {a, b}, {out}, fb::AddOptionsT{}).output(out);
  const auto left = tensor_of<std::int8_t>(DType::kINT8, {2, 2}, {1, 3, 5, 127});
  const auto right = tensor_of<std::int8_t>(DType::kINT8, {2}, {-2, 127});
  // (a - 1) + (b + 2) / 2: 0 and 2 + 64.5, 4 and 126 + 64.5, which is clamped.
  CHECK(values_of<std::int8_t>(checked(run_file(file, {left, right})).outputs[0]) ==
        std::vector<std::int8_t>{0, 67, 4, 127});
}
