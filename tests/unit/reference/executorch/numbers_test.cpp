#include "tests/unit/reference/executorch/support.hpp"

#include <catch2/catch.hpp>

#include <cmath>
#include <limits>

// Numbers, flags and lists among the arguments of ExecuTorch's kernels: pytorch/executorch
// kernels/portable/cpu/scalar_utils.h and the kernels that use it.
using namespace macaw;
using namespace macaw::npu;
using macaw::npu::test::OneOperator;

namespace kernel_arguments {
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
OneOperator& bytes(OneOperator& op, const Bytes& values) {
  return op.input({std::int64_t(values.size())}, DType::kINT8, values);
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

using Catch::Matchers::Contains;

}  // namespace

TEST_CASE("a comparison with a number is in the type that both are promoted to", "[numbers]") {
  OneOperator less("aten::lt.Scalar_out");
  real(less.input({2}, DType::kINT32, std::vector<std::int32_t>{0, 1}), 0.5).output({2}, DType::kBOOL);
  CHECK(result<std::uint8_t>(less) == Flags{1, 0});
  OneOperator equal("aten::eq.Scalar_out");
  number(equal.input({2}, DType::kBOOL, Flags{0, 1}), 2).output({2}, DType::kBOOL);
  CHECK(result<std::uint8_t>(equal) == Flags{0, 0});
  // An integer takes the type of the elements, and wraps.
  OneOperator wraps("aten::eq.Scalar_out");
  number(bytes(wraps, {44, 43}), 300).output({2}, DType::kBOOL);
  CHECK(result<std::uint8_t>(wraps) == Flags{1, 0});
}

TEST_CASE("sums, differences and products with a real number are real", "[numbers]") {
  OneOperator sum("aten::add.Scalar_out");
  number(real(bytes(sum, {1, -2}), 0.5), 2).output({2}, DType::kFP32);
  CHECK(result<float>(sum) == Floats{2, -1});
  OneOperator product("aten::mul.Scalar_out");
  real(bytes(product, {3}), 0.5).output({1}, DType::kFP32);
  CHECK(result<float>(product) == Floats{1.5F});
  OneOperator whole("aten::mul.Scalar_out");
  real(bytes(whole, {3}), 0.5).output({1}, DType::kINT8);
  CHECK_THAT(problem(whole), Contains("the output has type INT8, not FP32"));
  OneOperator truth("aten::add.Scalar_out");
  number(number(truth.input({1}, DType::kBOOL, Flags{1}), 2), 1).output({1}, DType::kINT64);
  CHECK(result<std::int64_t>(truth) == Ints{3});
}

TEST_CASE("alpha is an integer for integers", "[numbers]") {
  for (const char* name : {"aten::add", "aten::sub"}) {
    OneOperator op(name);
    real(bytes(bytes(op, {1}), {1}), 1.5).output({1}, DType::kINT8);
    CHECK_THAT(problem(op), Contains("argument 2 is the real number 1.5"));
    OneOperator boolean(name);
    flag(bytes(bytes(boolean, {1}), {1}), true).output({1}, DType::kINT8);
    CHECK_THAT(problem(boolean), Contains("argument 2 is a boolean"));
  }
  OneOperator sum("aten::add"), difference("aten::sub");
  for (auto* op : {&sum, &difference}) number(bytes(bytes(*op, {1}), {1}), 300).output({1}, DType::kINT8);
  CHECK_THAT(problem(sum), Contains("argument 2 is the integer 300"));
  CHECK(result<std::int8_t>(difference) == Bytes{1 - 44});
}

TEST_CASE("a tensor is filled with a number that its type holds", "[numbers]") {
  const auto full = [](DType dtype, auto add, double value) {
    OneOperator op("aten::full");
    add(list(op, {1}), value).output({1}, dtype);
    return op;
  };
  const auto whole = [](OneOperator& op, double value) -> OneOperator& { return number(op, std::int64_t(value)); };
  auto unsigned_wraps = full(DType::kUINT8, whole, -1);
  CHECK(result<std::uint8_t>(unsigned_wraps) == Flags{255});
  auto cut = full(DType::kINT8, real, -1.75);
  CHECK(result<std::int8_t>(cut) == Bytes{-1});
  auto infinite = full(DType::kFP32, real, INFINITY);
  CHECK(result<float>(infinite) == Floats{INFINITY});
  OneOperator refused[] = {full(DType::kINT8, whole, 128),    full(DType::kINT8, whole, -129),
                           full(DType::kUINT8, whole, -256),  full(DType::kUINT8, whole, 256),
                           full(DType::kINT8, real, 127.5),   full(DType::kINT32, real, NAN),
                           full(DType::kINT64, real, 0x1p63), full(DType::kFP32, real, 1e39)};
  for (auto& op : refused) CHECK_THAT(problem(op), Contains("which the type of the elements does not hold"));
  OneOperator like("aten::full_like"), scalar("aten::scalar_tensor"), pad("aten::constant_pad_nd");
  number(bytes(like, {1}), 200).absent().output({1}, DType::kINT8);
  number(scalar, 200).output({}, DType::kINT8);
  number(list(bytes(pad, {1}), {1, 0}), 200).output({2}, DType::kINT8);
  for (auto* op : {&like, &scalar, &pad}) CHECK_THAT(problem(*op), Contains("the integer 200"));
  OneOperator masked("aten::masked_fill.Scalar_out"), undefined("aten::masked_fill.Scalar_out");
  for (auto* op : {&masked, &undefined})
    bytes(*op, {1, 2}).input({2}, DType::kBOOL, Flags{1, 0}).output({2}, DType::kINT8);
  number(masked, 300);
  CHECK(result<std::int8_t>(masked) == Bytes{44, 2});
  real(undefined, NAN);
  CHECK_THAT(problem(undefined), Contains("the real number nan"));
}

TEST_CASE("bounds are of the type of the result", "[numbers]") {
  OneOperator real_bound("aten::clamp");
  real(bytes(real_bound, {-2, 3}), -0.5).absent().output({2}, DType::kFP32);
  CHECK(result<float>(real_bound) == Floats{-0.5F, 3});
  OneOperator none("aten::clamp");
  bytes(none, {1}).absent().absent().output({1}, DType::kINT8);
  CHECK_THAT(problem(none), Contains("neither a lower nor an upper bound"));
  OneOperator outside("aten::clamp");
  number(bytes(outside, {1}).absent(), 128).output({1}, DType::kINT8);
  CHECK_THAT(problem(outside), Contains("argument 2 is the integer 128"));
  OneOperator no_number("aten::clamp");
  real(real(no_number.input({2}, DType::kFP32, Floats{1, -1}), NAN), 2).output({2}, DType::kFP32);
  for (const float value : result<float>(no_number)) CHECK(std::isnan(value));
  OneOperator hardtanh("aten::hardtanh"), wide("aten::hardtanh");
  real(real(bytes(hardtanh, {-9, 9}), -1.5), 6).output({2}, DType::kINT8);
  CHECK(result<std::int8_t>(hardtanh) == Bytes{-1, 6});
  number(number(bytes(wide, {1}), 0), 200).output({1}, DType::kINT8);
  CHECK_THAT(problem(wide), Contains("the integer 200"));
}

TEST_CASE("the exponent of a power is a float", "[numbers]") {
  OneOperator op("aten::pow.Tensor_Scalar_out");
  real(op.input({1}, DType::kFP32, Floats{1e30F}), 0.1).output({1}, DType::kFP32);
  const auto expected = static_cast<float>(std::pow(double{1e30F}, double{0.1F}));
  CHECK(expected != static_cast<float>(std::pow(double{1e30F}, 0.1)));
  CHECK(result<float>(op) == Floats{expected});
  OneOperator whole("aten::pow.Tensor_Scalar_out");
  number(bytes(whole, {3}), 2).output({1}, DType::kINT8);
  CHECK_THAT(problem(whole), Contains("integer power"));
}

TEST_CASE("the absolute value of a negative zero keeps its sign, as the kernel's does", "[numbers]") {
  OneOperator op("aten::abs");
  op.input({2}, DType::kFP32, Floats{-0.0F, -1}).output({2}, DType::kFP32);
  const auto out = result<float>(op);
  CHECK(std::signbit(out[0]));
  CHECK(out[1] == 1);
}

TEST_CASE("gelu is of floats", "[numbers]") {
  OneOperator op("aten::gelu");
  const std::string none = "none";
  bytes(op, {1}).input({4}, DType::kUINT8, Flags(none.begin(), none.end())).output({1}, DType::kFP32);
  CHECK_THAT(problem(op), Contains("the input has type INT8"));
}

TEST_CASE("copies that keep the type, and arguments that they do not take", "[numbers]") {
  for (const char* name : {"aten::clone", "aten::alias_copy", "aten::detach_copy", "aten::lift_fresh_copy"}) {
    OneOperator op(name);
    bytes(op, {1}).output({1}, DType::kINT32);
    CHECK_THAT(problem(op), Contains("the output has type INT32, not INT8"));
  }
  OneOperator format("aten::clone"), kept("aten::full_like"), early("aten::_to_copy"), last("aten::_to_copy");
  number(bytes(format, {1}), 2).output({1}, DType::kINT8);
  number(flag(bytes(last, {1}), false), 1).output({1}, DType::kINT8);
  for (auto* op : {&format, &last}) CHECK_THAT(problem(*op), Contains("expected contiguous"));
  number(number(bytes(kept, {1}), 3), 1).output({1}, DType::kINT8);
  CHECK(result<std::int8_t>(kept) == Bytes{3});
  flag(bytes(early, {1}), true).absent().output({1}, DType::kINT8);
  CHECK_THAT(problem(early), Contains("non_blocking is true"));
}

TEST_CASE("copy has the type and the shape of its first tensor", "[numbers]") {
  const auto copy = [](DType out, Shape shape, bool non_blocking) {
    OneOperator op("aten::copy");
    flag(bytes(bytes(op, {1, 2}), {3}), non_blocking).output(std::move(shape), out);
    return op;
  };
  auto right = copy(DType::kINT8, {2}, false);
  CHECK(result<std::int8_t>(right) == Bytes{3, 3});
  OneOperator wrong[] = {copy(DType::kINT32, {2}, false), copy(DType::kINT8, {1}, false),
                         copy(DType::kINT8, {2}, true)};
  for (auto& op : wrong) CHECK(problem(op) != "ran");
}

TEST_CASE("expand_copy has the sizes that it states", "[numbers]") {
  const auto expand = [](const Ints& sizes, Shape shape, bool implicit) {
    OneOperator op("aten::expand_copy");
    flag(list(op.input({2, 1}, DType::kINT8, Bytes{1, 2}), sizes), implicit).output(std::move(shape), DType::kINT8);
    return op;
  };
  auto kept = expand({-1, 2}, {2, 2}, false), more = expand({1, 2, -1}, {1, 2, 1}, false);
  CHECK(result<std::int8_t>(kept) == Bytes{1, 1, 2, 2});
  CHECK(result<std::int8_t>(more) == Bytes{1, 2});
  OneOperator wrong[] = {expand({2, 3}, {2, 2}, false), expand({2}, {2, 1}, false),
                         expand({-1, -1, 1}, {1, 2, 1}, false), expand({3, 1}, {3, 1}, false),
                         expand({2, 2}, {2, 2}, true)};
  for (auto& op : wrong) CHECK(problem(op) != "ran");
}

TEST_CASE("operators of dimension orders state the order of the output", "[numbers]") {
  const auto reordered = [](const char* name, bool non_blocking, const Ints* order, DType out) {
    OneOperator op(name);
    flag(op.input({1, 1, 3, 2}, DType::kINT8, Bytes{1, 4, 2, 5, 3, 6}), non_blocking);
    if (order) list(op, *order);
    else op.absent();
    list(list(op, {0, 2, 3, 1}), {0, 1, 2, 3}).output({1, 2, 1, 3}, out);
    return op;
  };
  const Ints contiguous = {0, 1, 2, 3}, last = {0, 2, 3, 1};
  for (const char* name : {"dim_order_ops::_to_dim_order_copy", "dim_order_ops::_clone_dim_order"}) {
    auto right = reordered(name, false, &contiguous, DType::kINT8);
    CHECK(result<std::int8_t>(right) == Bytes{1, 2, 3, 4, 5, 6});
    auto other = reordered(name, false, &last, DType::kINT8), kept = reordered(name, false, nullptr, DType::kINT8);
    for (auto* op : {&other, &kept}) CHECK_THAT(problem(*op), Contains("order of dimensions that the operator states"));
    auto early = reordered(name, true, &contiguous, DType::kINT8);
    CHECK_THAT(problem(early), Contains("non_blocking is true"));
  }
  auto clone = reordered("dim_order_ops::_clone_dim_order", false, &contiguous, DType::kINT32);
  CHECK_THAT(problem(clone), Contains("the output has type INT32"));
}

}  // namespace kernel_arguments
