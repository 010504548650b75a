#include <catch2/catch.hpp>

#include <cmath>

#include "reference/tflite/op/resizing.hpp"
#include "reference/tflite/window.hpp"
#include "tests/unit/reference/tflite/support.hpp"

// Operators that move or choose elements, beside what says element by element where each comes from.
using namespace macaw;
using namespace macaw::test;
using enum fb::TensorType;

namespace {

enum Layout {
  kAveragePool = 1,
  kResizeBilinear = 23,
  kPad = 34,
  kGather = 36,
  kSpaceToBatch = 38,
  kStridedSlice = 45,
  kArgMax = 56,
  kArgMin = 79,
  kResizeNearest = 97,
  kMirrorPad = 100
};

using Ints = std::vector<std::int32_t>;

Tensor counting(Shape shape) {
  Tensor tensor(DType::kINT32, std::move(shape));
  for (std::size_t i = 0; i < tensor.data<std::int32_t>().size(); ++i)
    tensor.data<std::int32_t>()[i] = static_cast<std::int32_t>(i);
  return tensor;
}

int list(TfliteFile& file, const Ints& values) {
  return file.constant<std::int32_t>(INT32, {static_cast<int>(values.size())}, values);
}

/// Elements of 0 to extent - 1 that a slice takes.
Ints sliced(int extent, std::optional<int> begin, std::optional<int> end, int stride) {
  const auto from_start = [&](int index) { return index < 0 ? index + extent : index; };
  Ints taken;
  int at = begin ? from_start(*begin) : stride > 0 ? 0 : extent - 1;
  // A first element outside counts as the nearest one in the direction of the steps.
  if (stride > 0 && at < 0) at = 0;
  if (stride < 0 && at >= extent) at = extent - 1;
  const auto is_before_end = [&] {
    if (!end) return true;
    return stride > 0 ? at < from_start(*end) : at > from_start(*end);
  };
  for (; at >= 0 && at < extent && is_before_end(); at += stride) taken.push_back(at);
  return taken;
}

}  // namespace

TEST_CASE("STRIDED_SLICE takes steps of either sign from and to any place") {
  constexpr int kExtent = 7;
  const Ints places = {-9, -7, -6, -2, -1, 0, 1, 5, 6, 7, 9};
  for (const int stride : {-8, -3, -2, -1, 1, 2, 3, 8})
    for (const int begin : places)
      for (const int end : places)
        for (const int masks : {0, 1, 2, 3}) {
          const bool from_edge = masks & 1, to_edge = masks & 2;
          const auto expected = sliced(kExtent, from_edge ? std::nullopt : std::optional(begin),
                                       to_edge ? std::nullopt : std::optional(end), stride);
          if (expected.empty()) continue;
          INFO(begin << " to " << end << " by " << stride << ", masks " << masks);
          TfliteFile file;
          const int in = file.input(INT32, {kExtent});
          const int first = list(file, {begin}), last = list(file, {end}), step = list(file, {stride});
          const int out = file.tensor(INT32, {static_cast<int>(expected.size())});
          fb::StridedSliceOptionsT options;
          options.begin_mask = from_edge;
          options.end_mask = to_edge;
          file.op(kStridedSlice, {in, first, last, step}, {out}, options).output(out);
          CHECK(values_of<std::int32_t>(checked(run_file(file, {counting({kExtent})})).outputs.at(0)) == expected);
        }
}

TEST_CASE("GATHER takes each batch's own elements, axes of batches counted from either end of the indices") {
  for (const int batch_dims : {1, -1}) {
    TfliteFile file;
    const int in = file.input(INT32, {2, 3, 2}), out = file.tensor(INT32, {2, 2, 2});
    const int indices = file.constant<std::int32_t>(INT32, {2, 2}, {0, 2, 1, 1});
    fb::GatherOptionsT options;
    options.axis = 1;
    options.batch_dims = batch_dims;
    file.op(kGather, {in, indices}, {out}, options).output(out);
    const auto result = checked(run_file(file, {counting({2, 3, 2})})).outputs.at(0);
    CHECK(values_of<std::int32_t>(result) == Ints{0, 1, 4, 5, 8, 9, 8, 9});
  }
}

TEST_CASE("ARG_MAX and ARG_MIN give the first of equal elements, along any axis") {
  const auto best = [](int builtin, int axis, const Ints& values) {
    TfliteFile file;
    const int in = file.input(INT32, {2, 3}), along = list(file, {axis});
    const int out = file.tensor(INT32, {axis == 0 || axis == -2 ? 3 : 2});
    file.op(builtin, {in, along}, {out}).output(out);
    return values_of<std::int32_t>(checked(run_file(file, {tensor_of(DType::kINT32, {2, 3}, values)})).outputs.at(0));
  };
  CHECK(best(kArgMax, 1, {5, 7, 7, -1, -2, -1}) == Ints{1, 0});
  CHECK(best(kArgMin, -1, {5, 7, 5, -2, -1, -2}) == Ints{0, 0});
  CHECK(best(kArgMax, 0, {1, 2, 3, 1, 4, 2}) == Ints{0, 1, 0});
  CHECK(best(kArgMin, -2, {1, 2, 3, 1, 4, 2}) == Ints{0, 0, 1});
}

TEST_CASE("RESIZE_NEAREST_NEIGHBOR rounds down, or to the nearest between aligned corners") {
  constexpr int kIn = 4, kOut = 9;
  for (const int mode : {0, 1, 2}) {
    TfliteFile file;
    const int in = file.input(INT32, {1, 1, kIn, 1}), size = list(file, {1, kOut});
    const int out = file.tensor(INT32, {1, 1, kOut, 1});
    fb::ResizeNearestNeighborOptionsT options;
    options.align_corners = mode == 1;
    options.half_pixel_centers = mode == 2;
    file.op(kResizeNearest, {in, size}, {out}, options).output(out);
    Ints expected;
    for (int x = 0; x < kOut; ++x) {
      if (mode == 0) expected.push_back(x * kIn / kOut);
      else if (mode == 1) expected.push_back((2 * x * (kIn - 1) + kOut - 1) / (2 * (kOut - 1)));
      else expected.push_back((2 * x + 1) * kIn / (2 * kOut));
    }
    INFO("mode " << mode);
    CHECK(values_of<std::int32_t>(checked(run_file(file, {counting({1, 1, kIn, 1})})).outputs.at(0)) == expected);
  }
}

TEST_CASE("RESIZE_BILINEAR of floats weighs the four elements around each place") {
  TfliteFile file;
  const int in = file.input(FLOAT32, {1, 2, 3, 1}), size = list(file, {4, 6});
  const int out = file.tensor(FLOAT32, {1, 4, 6, 1});
  file.op(kResizeBilinear, {in, size}, {out}, fb::ResizeBilinearOptionsT()).output(out);
  // 8 y + 2 x + y x, of two rows and three columns.
  const auto values = tensor_of<float>(DType::kFP32, {1, 2, 3, 1}, {0, 2, 4, 8, 11, 14});
  std::vector<float> expected;
  for (const float y : {0.0F, 0.5F, 1.0F, 1.0F})
    for (const float x : {0.0F, 0.5F, 1.0F, 1.5F, 2.0F, 2.0F}) expected.push_back(8 * y + 2 * x + y * x);
  CHECK(values_of<float>(checked(run_file(file, {values})).outputs.at(0)) == expected);
}

TEST_CASE("MIRROR_PAD repeats the edge or leaves it out") {
  const auto padded = [](fb::MirrorPadMode mode) {
    TfliteFile file;
    const int in = file.input(INT32, {2, 3}), amounts = file.constant<std::int32_t>(INT32, {2, 2}, {1, 0, 2, 1});
    const int out = file.tensor(INT32, {3, 6});
    fb::MirrorPadOptionsT options;
    options.mode = mode;
    file.op(kMirrorPad, {in, amounts}, {out}, options).output(out);
    return values_of<std::int32_t>(checked(run_file(file, {counting({2, 3})})).outputs.at(0));
  };
  CHECK(padded(fb::MirrorPadMode::REFLECT) == Ints{5, 4, 3, 4, 5, 4, 2, 1, 0, 1, 2, 1, 5, 4, 3, 4, 5, 4});
  CHECK(padded(fb::MirrorPadMode::SYMMETRIC) == Ints{1, 0, 0, 1, 2, 2, 1, 0, 0, 1, 2, 2, 4, 3, 3, 4, 5, 5});
}

TEST_CASE("PAD surrounds quantised values with their zero point, others with 0") {
  TfliteFile file;
  const int in = file.input(INT8, {2}, {0.5F}, {-7}), amounts = file.constant<std::int32_t>(INT32, {1, 2}, {1, 2});
  const int out = file.tensor(INT8, {5}, {0.5F}, {-7});
  file.op(kPad, {in, amounts}, {out}).output(out);
  const auto values = tensor_of<std::int8_t>(DType::kINT8, {2}, {3, 4});
  CHECK(values_of<std::int8_t>(checked(run_file(file, {values})).outputs.at(0)) ==
        std::vector<std::int8_t>{-7, 3, 4, -7, -7});
  TfliteFile whole;
  const int from = whole.input(INT32, {2}), around = whole.constant<std::int32_t>(INT32, {1, 2}, {1, 0});
  const int to = whole.tensor(INT32, {3});
  whole.op(kPad, {from, around}, {to}).output(to);
  CHECK(values_of<std::int32_t>(
            checked(run_file(whole, {tensor_of<std::int32_t>(DType::kINT32, {2}, {3, 4})})).outputs.at(0)) ==
        Ints{0, 3, 4});
}

TEST_CASE("SPACE_TO_BATCH_ND makes batches of the places in a block, row by row") {
  constexpr int kN = 2, kH = 3, kW = 5, kBlockH = 2, kBlockW = 3, kTop = 1, kLeft = 1, kOutH = 2, kOutW = 2;
  TfliteFile file;
  const int in = file.input(INT32, {kN, kH, kW, 1}), block = list(file, {kBlockH, kBlockW});
  const int edges = file.constant<std::int32_t>(INT32, {2, 2}, {kTop, 0, kLeft, 0});
  const int out = file.tensor(INT32, {kN * kBlockH * kBlockW, kOutH, kOutW, 1});
  file.op(kSpaceToBatch, {in, block, edges}, {out}).output(out);
  Ints expected;
  for (int y = 0; y < kBlockH; ++y)
    for (int x = 0; x < kBlockW; ++x)
      for (int n = 0; n < kN; ++n)
        for (int oy = 0; oy < kOutH; ++oy)
          for (int ox = 0; ox < kOutW; ++ox) {
            const int row = oy * kBlockH + y - kTop, column = ox * kBlockW + x - kLeft;
            expected.push_back(row < 0 || column < 0 ? 0 : (n * kH + row) * kW + column);
          }
  CHECK(values_of<std::int32_t>(checked(run_file(file, {counting({kN, kH, kW, 1})})).outputs.at(0)) == expected);
}

TEST_CASE("AVERAGE_POOL_2D rounds halves away from zero, and leaves the padding out") {
  TfliteFile file;
  const int in = file.input(INT8, {1, 1, 5, 1}, {1.0F}), out = file.tensor(INT8, {1, 1, 5, 1}, {1.0F});
  fb::Pool2DOptionsT options;
  options.padding = fb::Padding::SAME;
  options.stride_w = options.stride_h = options.filter_height = 1;
  options.filter_width = 2;
  file.op(kAveragePool, {in}, {out}, options).output(out);
  const auto values = tensor_of<std::int8_t>(DType::kINT8, {1, 1, 5, 1}, {1, 2, -3, -4, -3});
  CHECK(values_of<std::int8_t>(checked(run_file(file, {values})).outputs.at(0)) ==
        std::vector<std::int8_t>{2, -1, -4, -4, -3});
}

TEST_CASE("steps of RESIZE_BILINEAR are the nearest of a 1024th, between corners or edges") {
  for (std::int64_t in = 1; in < 12; ++in)
    for (std::int64_t out = 1; out < 12; ++out) {
      INFO(in << " to " << out);
      tflite::ResizeAxis axis{};
      axis.in = in;
      axis.out = out;
      const auto step = [](std::int64_t from, std::int64_t to) {
        return std::lround(1024.0 * static_cast<double>(from) / static_cast<double>(to));
      };
      CHECK(tflite::bilinear_step(axis, false) == step(in, out));
      CHECK(tflite::bilinear_step(axis, true) == (out == 1 ? step(in, out) : step(in - 1, out - 1)));
    }
}

TEST_CASE("extents, strides and dilations of a window are below 2^31") {
  using tflite::WindowAxis;
  for (const auto field : {&WindowAxis::in, &WindowAxis::kernel, &WindowAxis::stride, &WindowAxis::dilation})
    for (const auto& [value, holds] : {std::pair<std::int64_t, bool>(-1, false),
                                       {0, false},
                                       {1, true},
                                       {(std::int64_t{1} << 31) - 1, true},
                                       {std::int64_t{1} << 31, false}}) {
      WindowAxis axis;
      axis.*field = value;
      INFO(value);
      CHECK(tflite::window_axis(axis, fb::Padding::SAME).has_value() == holds);
    }
}

TEST_CASE("a pool has windows of up to 2^26 elements, most of them in the padding") {
  for (const int width : {8192, 8193}) {
    TfliteFile file;
    const int in = file.input(INT8, {1, 1, 1, 1}, {1.0F}), out = file.tensor(INT8, {1, 1, 1, 1}, {1.0F});
    fb::Pool2DOptionsT options;
    options.padding = fb::Padding::SAME;
    options.stride_w = options.stride_h = 1;
    options.filter_height = 8192;
    options.filter_width = width;
    file.op(kAveragePool, {in}, {out}, options).output(out);
    INFO(width);
    CHECK(run_file(file, {tensor_of<std::int8_t>(DType::kINT8, {1, 1, 1, 1}, {5})}).has_value() == (width == 8192));
  }
}
