#include "tests/unit/reference/executorch/support.hpp"

#include <catch2/catch.hpp>

#include <cmath>
#include <limits>

// ExecuTorch's portable kernels, against values worked out by hand or in double precision.
using namespace macaw;
using namespace macaw::npu;
using macaw::npu::test::OneOperator;

namespace portable_kernels {
namespace {

using Bytes = std::vector<std::int8_t>;
using Flags = std::vector<std::uint8_t>;
using Floats = std::vector<float>;
using Ints = std::vector<std::int64_t>;

OneOperator& number(OneOperator& op, std::int64_t value) { return op.input({1}, DType::kINT64, Ints{value}); }
OneOperator& real(OneOperator& op, double value) { return op.input({1}, DType::kFP64, std::vector<double>{value}); }
OneOperator& flag(OneOperator& op, bool value) { return op.input({1}, DType::kBOOL, Flags{std::uint8_t(value)}); }
OneOperator& list(OneOperator& op, const Ints& values) {
  return op.input({std::int64_t(values.size())}, DType::kINT64, values);
}
OneOperator& floats(OneOperator& op, Shape shape, const Floats& values) {
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

/// An operator of floats to floats.
Floats unary(const char* name, const Floats& values) {
  OneOperator op(name);
  const auto size = static_cast<std::int64_t>(values.size());
  floats(op, {size}, values).output({size}, DType::kFP32);
  return result<float>(op);
}

}  // namespace

TEST_CASE("differences, quotients and extremes of tensors and numbers", "[portable]") {
  OneOperator sub("aten::sub");
  floats(floats(sub, {2, 2}, {5, 6, 7, 8}), {2}, {1, 2});
  real(sub, 3).output({2, 2}, DType::kFP32);
  CHECK(result<float>(sub) == Floats{2, 0, 4, 2});
  OneOperator wraps("aten::sub.Scalar_out");
  wraps.input({2}, DType::kINT8, Bytes{-128, 5});
  number(number(wraps, 1), 2).output({2}, DType::kINT8);
  CHECK(result<std::int8_t>(wraps) == Bytes{126, 3});
  OneOperator div("aten::div");
  div.input({2}, DType::kINT32, std::vector<std::int32_t>{7, -7})
      .input({1}, DType::kINT32, std::vector<std::int32_t>{2})
      .output({2}, DType::kFP32);
  CHECK(result<float>(div) == Floats{3.5F, -3.5F});
  OneOperator least("aten::minimum"), most("aten::maximum");
  for (auto* op : {&least, &most}) floats(floats(*op, {3}, {1, NAN, 3}), {3}, {2, 2, -1}).output({3}, DType::kFP32);
  const auto low = result<float>(least), high = result<float>(most);
  CHECK(low[0] == 1);
  CHECK(low[2] == -1);
  CHECK(std::isnan(low[1]));
  CHECK(high[0] == 2);
  CHECK(high[2] == 3);
  CHECK(std::isnan(high[1]));
  OneOperator square("aten::pow.Tensor_Scalar_out");
  real(floats(square, {2}, {3, -2}), 2).output({2}, DType::kFP32);
  CHECK(result<float>(square) == Floats{9, 4});
}

TEST_CASE("comparisons and logic give booleans", "[portable]") {
  const auto compared = [](const char* name) {
    OneOperator op(name);
    floats(floats(op, {3}, {1, 2, 3}), {1}, {2}).output({3}, DType::kBOOL);
    return result<std::uint8_t>(op);
  };
  CHECK(compared("aten::eq.Tensor_out") == Flags{0, 1, 0});
  CHECK(compared("aten::ne.Tensor_out") == Flags{1, 0, 1});
  CHECK(compared("aten::lt.Tensor_out") == Flags{1, 0, 0});
  CHECK(compared("aten::le.Tensor_out") == Flags{1, 1, 0});
  CHECK(compared("aten::gt.Tensor_out") == Flags{0, 0, 1});
  CHECK(compared("aten::ge.Tensor_out") == Flags{0, 1, 1});
  OneOperator with_number("aten::lt.Scalar_out");
  with_number.input({3}, DType::kINT64, Ints{-1, 4, 9});
  number(with_number, 4).output({3}, DType::kBOOL);
  CHECK(result<std::uint8_t>(with_number) == Flags{1, 0, 0});
  const auto logic = [](const char* name) {
    OneOperator op(name);
    op.input({4}, DType::kBOOL, Flags{0, 0, 1, 1})
        .input({4}, DType::kBOOL, Flags{0, 1, 0, 1})
        .output({4}, DType::kBOOL);
    return result<std::uint8_t>(op);
  };
  CHECK(logic("aten::logical_and") == Flags{0, 0, 0, 1});
  CHECK(logic("aten::logical_or") == Flags{0, 1, 1, 1});
  CHECK(logic("aten::logical_xor") == Flags{0, 1, 1, 0});
  CHECK(logic("aten::bitwise_and.Tensor_out") == Flags{0, 0, 0, 1});
  OneOperator negation("aten::logical_not");
  floats(negation, {3}, {0, 2, -0.0F}).output({3}, DType::kBOOL);
  CHECK(result<std::uint8_t>(negation) == Flags{1, 0, 1});
  OneOperator where("aten::where.self_out");
  where.input({2, 1}, DType::kBOOL, Flags{1, 0});
  floats(floats(where, {2}, {1, 2}), {1}, {9}).output({2, 2}, DType::kFP32);
  CHECK(result<float>(where) == Floats{1, 2, 9, 9});
  OneOperator filled("aten::masked_fill.Scalar_out");
  floats(filled, {2}, {1, 2}).input({2}, DType::kBOOL, Flags{0, 1});
  real(filled, -std::numeric_limits<double>::infinity()).output({2}, DType::kFP32);
  CHECK(result<float>(filled) == Floats{1, -std::numeric_limits<float>::infinity()});
}

TEST_CASE("functions of one element are those of the reals, rounded once", "[portable]") {
  const Floats in = {-3, -0.5F, 0, 0.25F, 4};
  const auto near = [&](const char* name, auto f) {
    INFO(name);
    const auto out = unary(name, in);
    for (std::size_t i = 0; i < in.size(); ++i) CHECK(out[i] == Approx(f(double{in[i]})).epsilon(2e-7).margin(1e-12));
  };
  near("aten::sigmoid", [](double x) { return 1 / (1 + std::exp(-x)); });
  near("aten::tanh", [](double x) { return std::tanh(x); });
  near("aten::exp", [](double x) { return std::exp(x); });
  near("aten::sin", [](double x) { return std::sin(x); });
  near("aten::cos", [](double x) { return std::cos(x); });
  near("aten::erf", [](double x) { return std::erf(x); });
  near("aten::abs", [](double x) { return std::abs(x); });
  near("aten::neg", [](double x) { return -x; });
  near("aten::relu", [](double x) { return std::max(x, 0.0); });
  CHECK(unary("aten::rsqrt", {4, 0.25F}) == Floats{0.5F, 2});
  CHECK(unary("aten::sqrt", {9}) == Floats{3});
  CHECK(unary("aten::reciprocal", {8}) == Floats{0.125F});
  CHECK(unary("aten::log", {1}) == Floats{0});
  const auto gelu = [](const std::string& approximation, float value) {
    OneOperator op("aten::gelu");
    floats(op, {1}, {value})
        .input({std::int64_t(approximation.size())}, DType::kUINT8, Flags(approximation.begin(), approximation.end()))
        .output({1}, DType::kFP32);
    return op;
  };
  auto exact = gelu("none", 1), by_tanh = gelu("tanh", 1), infinite = gelu("none", -INFINITY),
       other = gelu("sigmoid", 1);
  CHECK(result<float>(exact)[0] == Approx(0.8413447).epsilon(2e-7));
  CHECK(result<float>(by_tanh)[0] == Approx(0.8411920).epsilon(2e-7));
  CHECK(result<float>(infinite)[0] == 0);
  CHECK(problem(other).find("approximation") != std::string::npos);
  OneOperator clamp("aten::clamp");
  clamp.input({4}, DType::kINT32, std::vector<std::int32_t>{-9, 0, 5, 9}).absent();
  number(clamp, 5).output({4}, DType::kINT32);
  CHECK(result<std::int32_t>(clamp) == std::vector<std::int32_t>{-9, 0, 5, 5});
}

TEST_CASE("products of matrices", "[portable]") {
  const Floats two_by_three = {1, 2, 3, 4, 5, 6}, three_by_two = {7, 8, 9, 10, 11, 12};
  OneOperator mm("aten::mm");
  floats(floats(mm, {2, 3}, two_by_three), {3, 2}, three_by_two).output({2, 2}, DType::kFP32);
  CHECK(result<float>(mm) == Floats{58, 64, 139, 154});
  OneOperator bmm("aten::bmm");
  floats(floats(bmm, {2, 1, 3}, two_by_three), {2, 3, 1}, three_by_two).output({2, 1, 1}, DType::kFP32);
  CHECK(result<float>(bmm) == Floats{7 + 16 + 27, 40 + 55 + 72});
  OneOperator addmm("aten::addmm");
  floats(floats(floats(addmm, {2}, {100, 200}), {2, 3}, two_by_three), {3, 2}, three_by_two);
  number(real(addmm, 0.5), 2).output({2, 2}, DType::kFP32);
  CHECK(result<float>(addmm) == Floats{116 + 50, 128 + 100, 278 + 50, 308 + 100});
  OneOperator linear("aten::linear");
  floats(floats(floats(linear, {1, 2, 3}, two_by_three), {2, 3}, {1, 0, 0, 0, 1, 1}), {2}, {10, 20})
      .output({1, 2, 2}, DType::kFP32);
  CHECK(result<float>(linear) == Floats{11, 25, 14, 31});
  OneOperator misfit("aten::mm");
  floats(floats(misfit, {2, 3}, two_by_three), {2, 3}, three_by_two).output({2, 3}, DType::kFP32);
  CHECK(problem(misfit).find("different extents") != std::string::npos);
}

TEST_CASE("means, sums, extremes and any, along axes", "[portable]") {
  const Floats values = {1, 2, 3, 4, 5, 6};
  OneOperator mean("aten::mean");
  floats(mean, {2, 3}, values);
  flag(list(mean, {-1}), true).absent().output({2, 1}, DType::kFP32);
  CHECK(result<float>(mean) == Floats{2, 5});
  OneOperator all("aten::mean");
  floats(all, {2, 3}, values).absent();
  flag(all, false).absent().output({}, DType::kFP32);
  CHECK(result<float>(all) == Floats{3.5F});
  OneOperator sum("aten::sum.IntList_out");
  sum.input({2, 2}, DType::kINT32, std::vector<std::int32_t>{1, 2, 3, INT32_MAX});
  flag(list(sum, {0}), false).absent().output({2}, DType::kINT64);
  CHECK(result<std::int64_t>(sum) == Ints{4, std::int64_t{INT32_MAX} + 2});
  OneOperator most("aten::amax"), least("aten::amin");
  for (auto* op : {&most, &least}) {
    floats(*op, {2, 3}, values);
    flag(list(*op, {0}), false).output({3}, DType::kFP32);
  }
  CHECK(result<float>(most) == Floats{4, 5, 6});
  CHECK(result<float>(least) == Floats{1, 2, 3});
  OneOperator any("aten::any");
  any.input({2, 2}, DType::kBOOL, Flags{0, 0, 0, 1});
  flag(number(any, 1), false).output({2}, DType::kBOOL);
  CHECK(result<std::uint8_t>(any) == Flags{0, 1});
  OneOperator any_of_all("aten::any.all_out");
  floats(any_of_all, {2}, {0, 0}).output({}, DType::kBOOL);
  CHECK(result<std::uint8_t>(any_of_all) == Flags{0});
  OneOperator twice("aten::mean");
  floats(twice, {2, 3}, values);
  flag(list(twice, {0, -2}), false).absent().output({3}, DType::kFP32);
  CHECK(problem(twice).find("named twice") != std::string::npos);
}

TEST_CASE("layer and group normalisation", "[portable]") {
  // Mean 2.5, variance 1.25.
  OneOperator layer("aten::native_layer_norm");
  floats(layer, {1, 4}, {1, 2, 3, 4});
  floats(floats(list(layer, {4}), {4}, {1, 1, 2, 2}), {4}, {0, 0, 0, 10});
  real(layer, 0).output({1, 4}, DType::kFP32).output({1, 1}, DType::kFP32).output({1, 1}, DType::kFP32);
  const auto out = result<float>(layer);
  const double deviation = std::sqrt(1.25);
  CHECK(out[0] == Approx(-1.5 / deviation));
  CHECK(out[1] == Approx(-0.5 / deviation));
  CHECK(out[2] == Approx(1 / deviation));
  CHECK(out[3] == Approx(3 / deviation + 10));
  CHECK(layer.out<float>(1)[0] == 2.5F);
  CHECK(layer.out<float>(2)[0] == Approx(1 / deviation));
  // Two groups of one channel each: means 2 and 20.
  OneOperator group("aten::native_group_norm");
  floats(group, {1, 2, 2}, {1, 3, 10, 30});
  floats(group, {2}, {1, 3}).absent();
  for (const std::int64_t extent : {1, 2, 2, 2}) number(group, extent);
  real(group, 0).output({1, 2, 2}, DType::kFP32).output({1, 2}, DType::kFP32).output({1, 2}, DType::kFP32);
  const auto normal = result<float>(group);
  CHECK(normal[0] == Approx(-1));
  CHECK(normal[1] == Approx(1));
  CHECK(normal[2] == Approx(-3));
  CHECK(normal[3] == Approx(3));
  CHECK(group.out<float>(1) == Floats{2, 20});
}

TEST_CASE("elements are taken and replaced by their numbers", "[portable]") {
  const Floats grid = {0, 1, 2, 10, 11, 12};
  OneOperator row("aten::index.Tensor_out");
  floats(row, {2, 3}, grid).input({2}, DType::kINT64, Ints{1, -2}).output({2, 3}, DType::kFP32);
  CHECK(result<float>(row) == Floats{10, 11, 12, 0, 1, 2});
  OneOperator column("aten::index.Tensor_out");
  floats(column, {2, 3}, grid).absent().input({2}, DType::kINT64, Ints{2, 0}).output({2, 2}, DType::kFP32);
  CHECK(result<float>(column) == Floats{2, 0, 12, 10});
  OneOperator pairs("aten::index.Tensor_out");
  floats(pairs, {2, 3}, grid)
      .input({2}, DType::kINT64, Ints{0, 1})
      .input({2, 1}, DType::kINT64, Ints{1, 2})
      .output({2, 2}, DType::kFP32);
  CHECK(result<float>(pairs) == Floats{1, 11, 2, 12});
  // The indices of axes that are not neighbours come first.
  OneOperator apart("aten::index.Tensor_out");
  floats(apart, {2, 1, 3}, grid)
      .input({2}, DType::kINT64, Ints{0, 1})
      .absent()
      .input({2}, DType::kINT64, Ints{2, 1})
      .output({2, 1}, DType::kFP32);
  CHECK(result<float>(apart) == Floats{2, 11});
  const auto put = [&](const char* name, bool adds) {
    OneOperator op(name);
    floats(op, {2, 3}, grid).absent().input({2}, DType::kINT64, Ints{1, 1});
    flag(floats(op, {2}, {5, 7}), adds).output({2, 3}, DType::kFP32);
    return result<float>(op);
  };
  CHECK(put("aten::index_put", false) == Floats{0, 7, 2, 10, 7, 12});
  CHECK(put("aten::index_put_", true) == Floats{0, 13, 2, 10, 23, 12});
  OneOperator outside("aten::index.Tensor_out");
  floats(outside, {2, 3}, grid).input({1}, DType::kINT64, Ints{2}).output({1, 3}, DType::kFP32);
  CHECK(problem(outside).find("index 2 of 2") != std::string::npos);
  OneOperator select("aten::select_copy.int_out");
  floats(select, {2, 3}, grid);
  number(number(select, 1), -1).output({2}, DType::kFP32);
  CHECK(result<float>(select) == Floats{2, 12});
  OneOperator slices("aten::index_select");
  floats(slices, {2, 3}, grid);
  number(slices, 1).input({2}, DType::kINT32, std::vector<std::int32_t>{2, 2}).output({2, 2}, DType::kFP32);
  CHECK(result<float>(slices) == Floats{2, 2, 12, 12});
}

TEST_CASE("copies keep, convert, repeat, divide and pad", "[portable]") {
  OneOperator clone("aten::clone");
  clone.input({2}, DType::kINT8, Bytes{1, 2}).absent().output({2}, DType::kINT8);
  CHECK(result<std::int8_t>(clone) == Bytes{1, 2});
  OneOperator cut("aten::_to_copy");
  floats(cut, {4}, {1.9F, -1.9F, 300, NAN});
  flag(cut, false).absent().output({4}, DType::kINT8);
  CHECK(result<std::int8_t>(cut) == Bytes{1, -1, 127, 0});
  OneOperator wide("aten::_to_copy");
  floats(wide, {3}, {1e30F, -1e30F, -1.5F});
  flag(wide, false).absent().output({3}, DType::kINT64);
  CHECK(result<std::int64_t>(wide) == Ints{INT64_MAX, INT64_MIN, -1});
  OneOperator copy("aten::copy_");
  floats(floats(copy, {2, 2}, {9, 9, 9, 9}), {2}, {1, 2});
  flag(copy, false).output({2, 2}, DType::kFP32);
  CHECK(result<float>(copy) == Floats{1, 2, 1, 2});
  OneOperator order("dim_order_ops::_to_dim_order_copy");
  // A tensor of sizes 1, 2, 1, 3 with its channels last, as one of int32 in the order of its dimensions.
  floats(order, {1, 1, 3, 2}, {1, 4, 2, 5, 3, 6});
  list(flag(order, false), {0, 1, 2, 3});
  list(list(order, {0, 2, 3, 1}), {0, 1, 2, 3}).output({1, 2, 1, 3}, DType::kINT32);
  CHECK(result<std::int32_t>(order) == std::vector<std::int32_t>{1, 2, 3, 4, 5, 6});
  OneOperator unsqueeze("aten::unsqueeze_copy"), squeeze("aten::squeeze_copy.dims_out");
  number(unsqueeze.input({2}, DType::kINT8, Bytes{1, 2}), 0).output({1, 2}, DType::kINT8);
  list(squeeze.input({1, 2}, DType::kINT8, Bytes{1, 2}), {0}).output({2}, DType::kINT8);
  CHECK(result<std::int8_t>(unsqueeze) == Bytes{1, 2});
  CHECK(result<std::int8_t>(squeeze) == Bytes{1, 2});
  OneOperator expand("aten::expand_copy");
  expand.input({2, 1}, DType::kINT8, Bytes{1, 2});
  flag(list(expand, {2, 3}), false).output({2, 3}, DType::kINT8);
  CHECK(result<std::int8_t>(expand) == Bytes{1, 1, 1, 2, 2, 2});
  OneOperator repeat("aten::repeat");
  list(repeat.input({2}, DType::kINT8, Bytes{1, 2}), {2, 2}).output({2, 4}, DType::kINT8);
  CHECK(result<std::int8_t>(repeat) == Bytes{1, 2, 1, 2, 1, 2, 1, 2});
  OneOperator split("aten::split_with_sizes_copy");
  list(split.input({2, 3}, DType::kINT8, Bytes{1, 2, 3, 4, 5, 6}), {1, 2});
  number(split, 1).output({2, 1}, DType::kINT8).output({2, 2}, DType::kINT8);
  CHECK(result<std::int8_t>(split) == Bytes{1, 4});
  CHECK(split.out<std::int8_t>(1) == Bytes{2, 3, 5, 6});
  OneOperator halves("aten::split_copy.Tensor_out");
  number(number(halves.input({3}, DType::kINT8, Bytes{1, 2, 3}), 2), 0);
  halves.output({2}, DType::kINT8).output({1}, DType::kINT8);
  CHECK(result<std::int8_t>(halves) == Bytes{1, 2});
  CHECK(halves.out<std::int8_t>(1) == Bytes{3});
  OneOperator pad("aten::constant_pad_nd");
  list(pad.input({1, 2}, DType::kINT8, Bytes{1, 2}), {1, 0, 0, 1});
  number(pad, 9).output({2, 3}, DType::kINT8);
  CHECK(result<std::int8_t>(pad) == Bytes{9, 1, 2, 9, 9, 9});
}

TEST_CASE("tensors are made of numbers", "[portable]") {
  OneOperator full("aten::full");
  real(list(full, {2, 1}), 1.5).output({2, 1}, DType::kFP32);
  CHECK(result<float>(full) == Floats{1.5F, 1.5F});
  OneOperator like("aten::full_like");
  number(like.input({2}, DType::kINT8, Bytes{1, 2}), -3).absent().output({2}, DType::kINT8);
  CHECK(result<std::int8_t>(like) == Bytes{-3, -3});
  OneOperator scalar("aten::scalar_tensor");
  number(scalar, 7).output({}, DType::kINT64);
  CHECK(result<std::int64_t>(scalar) == Ints{7});
  OneOperator range("aten::arange");
  number(range, 3).output({3}, DType::kINT64);
  CHECK(result<std::int64_t>(range) == Ints{0, 1, 2});
  OneOperator steps("aten::arange.start_out");
  real(real(real(steps, 1), 2), 0.25).output({4}, DType::kFP32);
  CHECK(result<float>(steps) == Floats{1, 1.25F, 1.5F, 1.75F});
  OneOperator misfit("aten::arange");
  number(misfit, 4).output({3}, DType::kINT64);
  CHECK(problem(misfit).find("do not fit") != std::string::npos);
}

}  // namespace portable_kernels
