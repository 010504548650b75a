#include "tests/unit/reference/executorch/support.hpp"

#include <catch2/catch.hpp>

#include <cmath>

// ExecuTorch's kernels of tensors without elements, and along axes.
using namespace macaw;
using namespace macaw::npu;
using macaw::npu::test::OneOperator;

namespace kernel_extents {
namespace {

using Bytes = std::vector<std::int8_t>;
using Flags = std::vector<std::uint8_t>;
using Floats = std::vector<float>;
using Ints = std::vector<std::int64_t>;

constexpr std::int64_t kHuge = std::int64_t{1} << 40;

OneOperator& number(OneOperator& op, std::int64_t value) { return op.input({1}, DType::kINT64, Ints{value}); }
OneOperator& flag(OneOperator& op, bool value) { return op.input({1}, DType::kBOOL, Flags{std::uint8_t(value)}); }
OneOperator& list(OneOperator& op, const Ints& values) {
  return op.input({std::int64_t(values.size())}, DType::kINT64, values);
}
OneOperator& floats(OneOperator& op, Shape shape, const Floats& values = {}) {
  return op.input(std::move(shape), DType::kFP32, values);
}

template <class T>
std::vector<T> result(OneOperator& op, std::size_t output = 0) {
  const auto done = op.run();
  INFO((done ? "" : done.error().message));
  REQUIRE(done);
  return op.out<T>(output);
}

std::string problem(OneOperator& op) {
  const auto done = op.run();
  return done ? "ran" : done.error().message;
}

}  // namespace

TEST_CASE("products without elements end at once, whatever their rows", "[extents]") {
  OneOperator mm("aten::mm"), bmm("aten::bmm"), addmm("aten::addmm"), linear("aten::linear");
  floats(floats(mm, {kHuge, 0}), {0, 0}).output({kHuge, 0}, DType::kFP32);
  floats(floats(bmm, {kHuge, 1, 0}), {kHuge, 0, 0}).output({kHuge, 1, 0}, DType::kFP32);
  number(number(floats(floats(floats(addmm, {0}), {kHuge, 0}), {0, 0}), 1), 1).output({kHuge, 0}, DType::kFP32);
  floats(floats(linear, {kHuge, 0}), {0, 0}).output({kHuge, 0}, DType::kFP32);
  for (auto* op : {&mm, &bmm, &addmm, &linear}) CHECK(problem(*op) == "ran");
}

TEST_CASE("indices and reductions of tensors without elements end at once", "[extents]") {
  OneOperator select("aten::index_select"), index("aten::index.Tensor_out"), mean("aten::mean"), most("aten::amax");
  number(floats(select, {kHuge, 2, 0}), 1).input({1}, DType::kINT64, Ints{0}).output({kHuge, 1, 0}, DType::kFP32);
  floats(index, {kHuge, 2, 0}).absent().input({1}, DType::kINT64, Ints{0}).output({kHuge, 1, 0}, DType::kFP32);
  flag(list(floats(mean, {kHuge, 0}), {0}), false).absent().output({0}, DType::kFP32);
  flag(list(floats(most, {kHuge, 0}), {0}), false).output({0}, DType::kFP32);
  for (auto* op : {&select, &index, &mean, &most}) CHECK(problem(*op) == "ran");
  OneOperator outside("aten::index_select");
  number(floats(outside, {kHuge, 2, 0}), 1).input({1}, DType::kINT64, Ints{2}).output({kHuge, 1, 0}, DType::kFP32);
  CHECK(problem(outside).find("index 2 of 2") != std::string::npos);
  OneOperator nothing("aten::mean");
  flag(list(floats(nothing, {2, 0}), {1}), false).absent().output({2}, DType::kFP32);
  for (const float value : result<float>(nothing)) CHECK(std::isnan(value));
}

TEST_CASE("windows without elements end at once", "[extents]") {
  OneOperator mean("cortex_m::quantized_avg_pool2d");
  mean.input({1, kHuge >> 20, 1 << 20, 0}, DType::kINT8, Bytes{});
  list(list(list(mean, {1, 1}), {1, 1}), {0, 0}).output({1, kHuge >> 20, 1 << 20, 0}, DType::kINT8);
  CHECK(problem(mean) == "ran");
  const auto convolution = [](std::int64_t channels, Shape out) {
    OneOperator op("cortex_m::quantized_conv2d");
    op.input({1, 1, 1, channels}, DType::kINT8, Bytes(std::size_t(channels)));
    op.input({out.back(), 1, 1, 1}, DType::kINT8, Bytes(std::size_t(out.back()))).absent();
    number(number(list(list(list(op, {1, 1}), {0, 0}), {1, 1}), 0), 0);
    for (const std::int64_t value : {1 << 30, 1}) list(op, Ints(std::size_t(out.back()), value));
    number(number(op, -128), 127).output(std::move(out), DType::kINT8);
    return op;
  };
  auto huge = convolution(1, {1, kHuge >> 20, 1 << 20, 0});
  CHECK(problem(huge) == "ran");
  auto channels = convolution(0, {1, 1, 1, 1});
  CHECK(problem(channels).find("do not fit each other") != std::string::npos);
}

TEST_CASE("any along an empty list of axes keeps all of them", "[extents]") {
  OneOperator op("aten::any.dims_out");
  flag(list(floats(op, {2, 2}, {0, 1, -0.0F, NAN}), {}), false).output({2, 2}, DType::kBOOL);
  CHECK(result<std::uint8_t>(op) == Flags{0, 1, 0, 1});
  OneOperator all("aten::any.dims_out");
  flag(floats(all, {2}, {0, 1}).absent(), false).output({}, DType::kBOOL);
  CHECK(result<std::uint8_t>(all) == Flags{1});
}

TEST_CASE("extremes along an axis and their places", "[extents]") {
  OneOperator most("aten::max.dim_max"), least("aten::min.dim_min");
  for (auto* op : {&most, &least})
    flag(number(floats(*op, {2, 3}, {4, 7, 7, NAN, 1, NAN}), -1), false)
        .output({2}, DType::kFP32)
        .output({2}, DType::kINT64);
  const auto high = result<float>(most), low = result<float>(least);
  CHECK(high[0] == 7);
  CHECK(low[0] == 4);
  CHECK(std::isnan(high[1]));
  CHECK(std::isnan(low[1]));
  CHECK(most.out<std::int64_t>(1) == Ints{1, 0});
  CHECK(least.out<std::int64_t>(1) == Ints{0, 0});
  OneOperator columns("aten::min.dim_min");
  flag(number(columns.input({2, 2}, DType::kINT8, Bytes{3, 1, 2, 5}), 0), true)
      .output({1, 2}, DType::kINT8)
      .output({1, 2}, DType::kINT64);
  CHECK(result<std::int8_t>(columns) == Bytes{2, 1});
  CHECK(columns.out<std::int64_t>(1) == Ints{1, 0});
  OneOperator nothing("aten::max.dim_max");
  flag(number(floats(nothing, {2, 0}), 1), false).output({2}, DType::kFP32).output({2}, DType::kINT64);
  CHECK(problem(nothing).find("no elements") != std::string::npos);
}

TEST_CASE("a tensor is taken apart along an axis", "[extents]") {
  OneOperator op("aten::unbind_copy.int_out");
  number(op.input({2, 3}, DType::kINT8, Bytes{1, 2, 3, 4, 5, 6}), 1);
  for (int i = 0; i < 3; ++i) op.output({2}, DType::kINT8);
  CHECK(result<std::int8_t>(op) == Bytes{1, 4});
  CHECK(op.out<std::int8_t>(2) == Bytes{3, 6});
  OneOperator few("aten::unbind_copy.int_out");
  number(few.input({2, 3}, DType::kINT8, Bytes{1, 2, 3, 4, 5, 6}), 1).output({2}, DType::kINT8);
  CHECK(problem(few).find("1 outputs for an axis of 3 elements") != std::string::npos);
}

TEST_CASE("layer normalisation of rows without elements, and without weights", "[extents]") {
  const auto norm = [](Shape shape, const Floats& values, std::int64_t size, std::optional<float> bias) {
    OneOperator op("aten::native_layer_norm");
    const Shape out = shape, rows = {shape[0], 1};
    list(floats(op, std::move(shape), values), {size}).absent();
    if (bias) floats(op, {size}, Floats(std::size_t(size), *bias));
    else op.absent();
    op.input({1}, DType::kFP64, std::vector<double>{0})
        .output(out, DType::kFP32)
        .output(rows, DType::kFP32)
        .output(rows, DType::kFP32);
    return op;
  };
  auto empty = norm({2, 0}, {}, 0, std::nullopt);
  CHECK(result<float>(empty).empty());
  CHECK(empty.out<float>(1) == Floats{0, 0});
  CHECK(std::isnan(empty.out<float>(2)[1]));
  auto biased = norm({1, 2}, {1, 3}, 2, 10.0F);
  CHECK(result<float>(biased) == Floats{9, 11});
  // A bias of zero is added also where there is none, which makes a negative zero positive.
  auto zero = norm({1, 3}, {-1, -0.0F, 1}, 3, std::nullopt);
  CHECK_FALSE(std::signbit(result<float>(zero)[1]));
}

TEST_CASE("group normalisation has float sums, and is in double precision after them", "[extents]") {
  const Floats values = {1000.125F, 1000.5F, 1001.25F, 999.75F, 1000.875F, 1000.0F};
  OneOperator op("aten::native_group_norm");
  floats(op, {1, 1, 6}, values).absent().absent();
  for (const std::int64_t extent : {1, 1, 6, 1}) number(op, extent);
  op.input({1}, DType::kFP64, std::vector<double>{1e-5})
      .output({1, 1, 6}, DType::kFP32)
      .output({1, 1}, DType::kFP32)
      .output({1, 1}, DType::kFP32);
  float sum = 0, squares = 0;
  for (const float value : values) sum += value;
  for (const float value : values) squares += value * value;
  const double mean = double{sum} / 6, reciprocal = 1 / std::sqrt(double{squares} / 6 - mean * mean + 1e-5);
  Floats expected;
  for (const float value : values) expected.push_back(static_cast<float>((double{value} - mean) * reciprocal));
  CHECK(result<float>(op) == expected);
  CHECK(op.out<float>(1)[0] == static_cast<float>(mean));
  CHECK(op.out<float>(2)[0] == static_cast<float>(reciprocal));
}

TEST_CASE("a padding adds elements, and does not overflow", "[extents]") {
  OneOperator cut("aten::constant_pad_nd");
  number(list(cut.input({3}, DType::kINT8, Bytes{1, 2, 3}), {-1, 1}), 9).output({3}, DType::kINT8);
  CHECK(problem(cut) == "padding -1, expected 0 to 1000000000");
  OneOperator overflow("aten::constant_pad_nd");
  list(overflow.input({0, INT64_MAX - 1000}, DType::kINT8, Bytes{}), {1000000, 0});
  number(overflow, 9).output({0, 1}, DType::kINT8);
  CHECK(problem(overflow) != "ran");
}

}  // namespace kernel_extents
