#include <catch2/catch.hpp>
#include <macaw/tflite/to_tosa.hpp>

#include <algorithm>
#include <cmath>

#include "tests/unit/reference/tflite/support.hpp"

// Operators with and without an exact form in TOSA: products and sums that fit into 32 bits behind a scale.
using namespace macaw;
using namespace macaw::test;
using enum fb::TensorType;

namespace {

enum Lowered { kAverage = 1, kProduct = 18 };

Result<tosa::Graph> lowered(const TfliteFile& file) {
  MACAW_ASSIGN(const auto network, tflite::parse_network(file.bytes(), "test"));
  return tflite::to_tosa(network);
}

bool has(const tosa::Graph& graph, tosa::Op op) {
  return std::ranges::any_of(graph.blocks.front().operators, [&](const auto& one) { return one.op == op; });
}

}  // namespace

TEST_CASE("a product has a form as long as its greatest value times the scale stays below 2^31") {
  // The scale 2^k is one half of 2^(k + 1), so that RESCALE takes values below 2^(29 - k).
  struct Row {
    std::int64_t left_zero, right_zero;
    int most;  ///< the greatest k
  };
  for (const Row& row : {Row{0, 0, 14},     // -128 * -128 is 2^14
                         {127, 127, 13},    // -255 * -255
                         {-128, -128, 13},  // 255 * 255
                         {127, -128, 13},   // -255 * 255
                         {127, 0, 14},      // -255 * -128
                         {0, -128, 14}})    // -128 * 255
    for (const int k : {row.most, row.most + 1}) {
      TfliteFile file;
      const int a = file.input(INT8, {2}, {1.0F}, {row.left_zero}), b = file.input(INT8, {2}, {1.0F}, {row.right_zero});
      const int out = file.tensor(INT8, {2}, {std::ldexp(1.0F, -k)});
      file.op(kProduct, {a, b}, {out}, fb::MulOptionsT()).output(out);
      CAPTURE(row.left_zero, row.right_zero, k);
      CHECK(lowered(file).has_value() == (k == row.most));
    }
}

TEST_CASE("DEQUANTIZE subtracts a zero point where there is one") {
  constexpr int kDequantize = 6;
  for (const std::int64_t zero : {-1, 0, 1}) {
    TfliteFile file;
    const int in = file.input(INT8, {4}, {0.5F}, {zero}), out = file.tensor(FLOAT32, {4});
    file.op(kDequantize, {in}, {out}).output(out);
    CHECK(has(checked(lowered(file)), tosa::Op::kSUB) == (zero != 0));
  }
}

TEST_CASE("results have the names of their tensors") {
  TfliteFile file;
  const int a = file.input(INT32, {2}), b = file.input(INT32, {2});
  const int sum = file.tensor(INT32, {2}), twice = file.tensor(INT32, {2});
  file.op(kAdd, {a, b}, {sum}, fb::AddOptionsT()).op(kAdd, {sum, sum}, {twice}, fb::AddOptionsT()).output(twice);
  const auto graph = checked(lowered(file));
  std::vector<std::string> names;
  for (const auto& op : graph.blocks.front().operators)
    for (const auto id : op.outputs) names.push_back(graph.blocks.front().values[id].name);
  CHECK(std::ranges::count(names, "t2") == 1);
  CHECK(names.back() == "t3");
}

TEST_CASE("sums of products are bound by the zero points of both") {
  struct Row {
    std::int64_t input_zero, filter_zero;
    int most;
  };
  // 2^29 over the scale is above the greatest sum: 128 or 255 for the input, 128, 255 or 256 for the filter.
  for (const Row& row : {Row{128, 128, 14}, {128, 0, 13}, {128, 255, 14}, {0, 128, 14}, {0, 0, 13}})
    for (const int k : {row.most, row.most + 1}) {
      TfliteFile file;
      const int in = file.input(UINT8, {1, 1, 1, 1}, {1.0F}, {row.input_zero});
      const int filter = file.constant<std::uint8_t>(UINT8, {1, 1, 1, 1}, {1}, {1.0F}, {row.filter_zero});
      const int out = file.tensor(UINT8, {1, 1, 1, 1}, {std::ldexp(1.0F, -k)}, {0});
      fb::Conv2DOptionsT options;
      options.stride_w = options.stride_h = 1;
      file.op(kConv2d, {in, filter}, {out}, options).output(out);
      CAPTURE(row.input_zero, row.filter_zero, k);
      CHECK(lowered(file).has_value() == (k == row.most));
    }
}

// The reciprocal of AVG_POOL2D is rounded up, so that a negative half goes away from zero as the kernel's does.
TEST_CASE("an average has the form of AVG_POOL2D, also of negative sums between two numbers") {
  for (const auto type : {INT8, UINT8, INT16})
    for (const int width : {1, 2, 4, 8}) {
      TfliteFile file;
      const int in = file.input(type, {1, 1, 8, 1}, {1.0F}, {0});
      const int out = file.tensor(type, {1, 1, 8 / width, 1}, {1.0F}, {0});
      fb::Pool2DOptionsT options;
      options.filter_width = options.stride_w = width;
      options.filter_height = options.stride_h = 1;
      options.padding = fb::Padding::VALID;
      file.op(kAverage, {in}, {out}, options).output(out);
      CAPTURE(width, static_cast<int>(type));
      CHECK(has(checked(lowered(file)), tosa::Op::kAVG_POOL2D));
    }
}

TEST_CASE("a mean of elements that are all on one side of the zero point has a form") {
  for (const std::int64_t zero : {-128, 0, 127}) {
    TfliteFile file;
    const int in = file.input(INT8, {4}, {1.0F}, {zero}), axis = file.constant<std::int32_t>(INT32, {1}, {0});
    const int out = file.tensor(INT8, {1}, {1.0F});
    fb::ReducerOptionsT options;
    options.keep_dims = true;
    file.op(kMean, {in, axis}, {out}, options).output(out);
    CAPTURE(zero);
    CHECK(lowered(file));
  }
}

TEST_CASE("a division by the elements of each window adds half of their number, away from zero") {
  // Windows of up to 17 x 17 elements of int16, whose sums are more than are tried one by one.
  TfliteFile file;
  const int in = file.input(INT16, {1, 18, 18, 1}, {1.0F}, {0}), out = file.tensor(INT16, {1, 18, 18, 1}, {1.0F}, {0});
  fb::Pool2DOptionsT options;
  options.filter_width = options.filter_height = 17;
  options.stride_w = options.stride_h = 1;
  options.padding = fb::Padding::SAME;
  file.op(kAverage, {in}, {out}, options).output(out);
  const auto graph = checked(lowered(file));
  REQUIRE_FALSE(has(graph, tosa::Op::kAVG_POOL2D));
  std::vector<std::vector<std::int32_t>> found;
  for (const auto& value : graph.blocks.front().values)
    if (value.data && value.dtype == DType::kINT32 && value.data->shape() == Shape{1, 18, 18, 1})
      found.push_back(values_of<std::int32_t>(*value.data));
  REQUIRE(found.size() == 3);
  std::ranges::sort(found, {}, [](const auto& list) { return list[0]; });
  const auto &down = found[0], &up = found[1], &number = found[2];
  const auto inside = [](int at) { return std::min(at + 9, 18) - std::max(at - 8, 0); };
  for (int y = 0; y < 18; ++y)
    for (int x = 0; x < 18; ++x) {
      const auto i = static_cast<std::size_t>(18 * y + x);
      CHECK(number[i] == inside(y) * inside(x));
      CHECK(up[i] == number[i] / 2);
      CHECK(down[i] == -(number[i] / 2));
    }
}

TEST_CASE("RESIZE begins half an output's step before the first element where pixels have centres") {
  constexpr int kBilinear = 23;
  for (const bool centres : {false, true}) {
    TfliteFile file;
    const int in = file.input(INT8, {1, 2, 2, 1}, {1.0F}, {0}), size = file.constant<std::int32_t>(INT32, {2}, {4, 4});
    const int out = file.tensor(INT8, {1, 4, 4, 1}, {1.0F}, {0});
    fb::ResizeBilinearOptionsT options;
    options.half_pixel_centers = centres;
    file.op(kBilinear, {in, size}, {out}, options).output(out);
    const auto graph = checked(lowered(file));
    for (const auto& op : graph.blocks.front().operators) {
      if (op.op != tosa::Op::kRESIZE) continue;
      const auto& value = graph.blocks.front().values[op.inputs[2]];
      REQUIRE(value.data);
      // A quarter of an element: (0 + 1/2) / 2 - 1/2.
      CHECK(values_of<std::int64_t>(*value.data) == std::vector<std::int64_t>(2, centres ? -1 : 0));
    }
    CHECK(has(graph, tosa::Op::kRESIZE));
  }
}
