#include <catch2/catch.hpp>

#include <macaw/tosa/interpreter.hpp>

#include <limits>
#include <tuple>

#include "tests/unit/reference/tosa/run_operator.hpp"

// Limits of level 8K and the next number, and attributes at the ends of their specified ranges.
using namespace macaw;
using namespace macaw::tosa;
using namespace macaw::tosa::test;

namespace {

using Numbers = std::vector<std::int64_t>;

struct Limit {
  const char* what;
  Op op;
  std::vector<std::pair<DType, Shape>> inputs;
  std::pair<DType, Shape> output;
  OperatorAttributes attributes;
  bool holds;
};

Limit pooled(const char* what, Numbers kernel, Numbers stride, Numbers pad, Shape in, Shape out, bool holds) {
  return {what,
          Op::kMAX_POOL2D,
          {{DType::kINT8, std::move(in)}},
          {DType::kINT8, std::move(out)},
          {{Attr::k_kernel, std::move(kernel)},
           {Attr::k_stride, std::move(stride)},
           {Attr::k_pad, std::move(pad)},
           {Attr::k_nan_mode, std::int64_t{0}}},
          holds};
}

Limit convolved(const char* what, Shape kernel, Numbers dilation, Numbers pad, Shape in, Shape out, bool holds,
                std::int64_t biases = 1) {
  const bool deep = kernel.size() == 5;
  return {what,
          deep ? Op::kCONV3D : Op::kCONV2D,
          {{DType::kINT8, std::move(in)},
           {DType::kINT8, std::move(kernel)},
           {DType::kINT32, {biases}},
           {DType::kINT8, {1}},
           {DType::kINT8, {1}}},
          {DType::kINT32, std::move(out)},
          {{Attr::k_pad, std::move(pad)},
           {Attr::k_stride, Numbers(deep ? 3 : 2, 1)},
           {Attr::k_dilation, std::move(dilation)},
           {Attr::k_acc_type, static_cast<std::int64_t>(DType::kINT32)},
           {Attr::k_local_bound, std::int64_t{0}}},
          holds};
}

Limit transformed(const char* what, std::int64_t height, std::int64_t width, bool holds) {
  const Shape shape{1, height, width};
  return {what,
          Op::kFFT2D,
          {{DType::kFP32, shape}, {DType::kFP32, shape}},
          {DType::kFP32, shape},
          {{Attr::k_inverse, std::int64_t{0}}, {Attr::k_local_bound, std::int64_t{0}}},
          holds};
}

const std::vector<Limit> kLimits = {
    pooled("kernel", {8192, 1}, {1, 1}, {0, 0, 0, 0}, {1, 8192, 1, 1}, {1, 1, 1, 1}, true),
    pooled("kernel", {8193, 1}, {1, 1}, {0, 0, 0, 0}, {1, 8193, 1, 1}, {1, 1, 1, 1}, false),
    pooled("kernel", {1, 8193}, {1, 1}, {0, 0, 0, 0}, {1, 1, 8193, 1}, {1, 1, 1, 1}, false),
    pooled("stride", {1, 1}, {1, 8192}, {0, 0, 0, 0}, {1, 1, 1, 1}, {1, 1, 1, 1}, true),
    pooled("stride", {1, 1}, {1, 8193}, {0, 0, 0, 0}, {1, 1, 1, 1}, {1, 1, 1, 1}, false),
    pooled("stride", {1, 1}, {0, 1}, {0, 0, 0, 0}, {1, 1, 1, 1}, {1, 1, 1, 1}, false),
    pooled("pad below the kernel", {3, 3}, {1, 1}, {2, 0, 0, 0}, {1, 1, 3, 1}, {1, 1, 1, 1}, true),
    pooled("pad of the kernel, at the top", {3, 3}, {1, 1}, {3, 0, 0, 0}, {1, 1, 3, 1}, {1, 2, 1, 1}, false),
    pooled("pad of the kernel, at the bottom", {3, 3}, {1, 1}, {0, 3, 0, 0}, {1, 1, 3, 1}, {1, 2, 1, 1}, false),
    pooled("pad of the kernel, at the left", {3, 3}, {1, 1}, {0, 0, 3, 0}, {1, 3, 1, 1}, {1, 1, 2, 1}, false),
    pooled("pad of the kernel, at the right", {3, 3}, {1, 1}, {0, 0, 0, 3}, {1, 3, 1, 1}, {1, 1, 2, 1}, false),
    pooled("different pads", {3, 3}, {1, 1}, {0, 2, 1, 2}, {1, 1, 1, 1}, {1, 1, 2, 1}, true),
    pooled("a remainder", {2, 2}, {2, 2}, {0, 0, 0, 0}, {1, 4, 5, 1}, {1, 2, 2, 1}, false),
    convolved("dilated height", {1, 2, 1, 1}, {4096, 1}, {0, 0, 0, 0}, {1, 4097, 1, 1}, {1, 1, 1, 1}, true),
    convolved("dilated height", {1, 2, 1, 1}, {4097, 1}, {0, 0, 0, 0}, {1, 4098, 1, 1}, {1, 1, 1, 1}, false),
    convolved("dilated width", {1, 1, 2, 1}, {1, 4096}, {0, 0, 0, 0}, {1, 1, 4097, 1}, {1, 1, 1, 1}, true),
    convolved("dilated width", {1, 1, 2, 1}, {1, 4097}, {0, 0, 0, 0}, {1, 1, 4098, 1}, {1, 1, 1, 1}, false),
    convolved("padding", {1, 1, 1, 1}, {1, 1}, {8192, 0, 0, 0}, {1, 1, 1, 1}, {1, 8193, 1, 1}, true),
    convolved("padding", {1, 1, 1, 1}, {1, 1}, {8193, 0, 0, 0}, {1, 1, 1, 1}, {1, 8194, 1, 1}, false),
    convolved("dilated depth", {1, 2, 1, 1, 1}, {4096, 1, 1}, {0, 0, 0, 0, 0, 0}, {1, 4097, 1, 1, 1}, {1, 1, 1, 1, 1},
              true),
    convolved("dilated depth", {1, 2, 1, 1, 1}, {4097, 1, 1}, {0, 0, 0, 0, 0, 0}, {1, 4098, 1, 1, 1}, {1, 1, 1, 1, 1},
              false),
    convolved("one bias", {3, 1, 1, 1, 2}, {1, 1, 1}, {0, 0, 0, 0, 0, 0}, {1, 1, 1, 1, 2}, {1, 1, 1, 1, 3}, true, 1),
    convolved("a bias for each channel", {3, 1, 1, 1, 2}, {1, 1, 1}, {0, 0, 0, 0, 0, 0}, {1, 1, 1, 1, 2},
              {1, 1, 1, 1, 3}, true, 3),
    convolved("a bias for each channel of the input", {3, 1, 1, 1, 2}, {1, 1, 1}, {0, 0, 0, 0, 0, 0}, {1, 1, 1, 1, 2},
              {1, 1, 1, 1, 3}, false, 2),
    transformed("width of a transform", 1, 8192, true),
    transformed("width of a transform", 1, 16384, false),
    transformed("height of a transform", 8192, 1, true),
    transformed("height of a transform", 16384, 1, false),
    transformed("no power of two", 6, 4, false),
    {"rank", Op::kIDENTITY, {{DType::kINT8, {1, 2, 1, 1, 1, 1}}}, {DType::kINT8, {1, 2, 1, 1, 1, 1}}, {}, true},
    {"rank", Op::kIDENTITY, {{DType::kINT8, {1, 2, 1, 1, 1, 1, 1}}}, {DType::kINT8, {1, 2, 1, 1, 1, 1, 1}}, {}, false},
    {"last axis",
     Op::kREVERSE,
     {{DType::kINT8, {2, 3}}},
     {DType::kINT8, {2, 3}},
     {{Attr::k_axis, std::int64_t{1}}},
     true},
    {"axis behind",
     Op::kREVERSE,
     {{DType::kINT8, {2, 3}}},
     {DType::kINT8, {2, 3}},
     {{Attr::k_axis, std::int64_t{2}}},
     false},
    {"permutation",
     Op::kTRANSPOSE,
     {{DType::kINT8, {2, 3}}},
     {DType::kINT8, {3, 2}},
     {{Attr::k_perms, Numbers{1, 0}}},
     true},
    {"an axis twice",
     Op::kTRANSPOSE,
     {{DType::kINT8, {2, 2}}},
     {DType::kINT8, {2, 2}},
     {{Attr::k_perms, Numbers{0, 0}}},
     false},
    {"an axis behind",
     Op::kTRANSPOSE,
     {{DType::kINT8, {2, 2}}},
     {DType::kINT8, {2, 2}},
     {{Attr::k_perms, Numbers{0, 2}}},
     false},
};

Status status_of(const Limit& limit) {
  GraphBuilder b;
  std::vector<ValueId> ids;
  for (const auto& [dtype, shape] : limit.inputs)
    ids.push_back(b.constant("in" + std::to_string(ids.size()), Tensor(dtype, shape)));
  std::vector<ValueId> outputs{b.value("y", limit.output.first, limit.output.second)};
  if (limit.op == Op::kFFT2D) outputs.push_back(b.value("z", limit.output.first, limit.output.second));
  auto& node = b.add(limit.op, ids, outputs);
  for (const auto& [name, value] : limit.attributes) node.set(name, value);
  for (const auto id : outputs) b.output(id);
  const auto verdict = validate(b.graph(kVersion1_1));
  if (!verdict) FAIL(verdict.error().to_string());
  if (verdict->first()) UNSCOPED_INFO(verdict->first()->to_string());
  return verdict->status();
}

}  // namespace

TEST_CASE("operators are valid at a limit and in ERROR beyond it") {
  for (const Limit& limit : kLimits) {
    CAPTURE(limit.what, to_string(limit.op), limit.holds);
    CHECK((status_of(limit) == Status::kValid) == limit.holds);
  }
}

TEST_CASE("MATMUL_T takes one batch of the second matrix for all, or one for each") {
  for (const auto& [own, other, holds] :
       {std::tuple(3, 1, true), {3, 3, true}, {3, 2, false}, {2, 3, false}, {1, 1, true}}) {
    const Limit limit{
        "batches",
        Op::kMATMUL_T,
        {{DType::kINT8, {own, 2, 4}}, {DType::kINT8, {other, 5, 4}}, {DType::kINT8, {1}}, {DType::kINT8, {1}}},
        {DType::kINT32, {own, 2, 5}},
        {},
        holds};
    CAPTURE(own, other);
    CHECK((status_of(limit) == Status::kValid) == holds);
  }
}

TEST_CASE("a list has up to 64 tensors") {
  for (const std::int64_t count : {64, 65}) {
    Limit limit{"list", Op::kCONCAT, {}, {DType::kINT8, {count}}, {{Attr::k_axis, std::int64_t{0}}}, count == 64};
    for (std::int64_t i = 0; i < count; ++i) limit.inputs.push_back({DType::kINT8, {1}});
    CAPTURE(count);
    CHECK((status_of(limit) == Status::kValid) == limit.holds);
  }
}

TEST_CASE("the imaginary parts of frequencies that have only a cosine are zero") {
  for (const auto& [height, width] : {std::pair(1, 8), {2, 2}, {4, 8}, {8, 4}, {16, 1}}) {
    Tensor in(DType::kFP32, {2, height, width});
    for (std::size_t i = 0; i < in.data<float>().size(); ++i)
      in.data<float>()[i] = 0.37F * static_cast<float>(static_cast<int>(i * 7919 % 251) - 125);
    in.data<float>()[1] = std::numeric_limits<float>::infinity();
    const std::int64_t columns = width / 2 + 1;
    GraphBuilder b;
    const auto x = b.constant("x", in);
    const auto real = b.value("r", DType::kFP32, {2, height, columns}),
               imaginary = b.value("i", DType::kFP32, {2, height, columns});
    b.add(Op::kRFFT2D, {x}, {real, imaginary}).set(Attr::k_local_bound, std::int64_t{0});
    b.output(real);
    b.output(imaginary);
    const auto result = run(b.graph(kVersion1_1), {});
    REQUIRE(result);
    REQUIRE(result->outputs.size() == 2);
    const auto values = result->outputs[1].data<float>();
    for (int n = 0; n < 2; ++n)
      for (const int y : {0, height / 2})
        for (const int x_ : {0, width / 2}) {
          if ((y != 0 && 2 * y != height) || (x_ != 0 && 2 * x_ != width)) continue;
          CAPTURE(height, width, n, y, x_);
          CHECK(values[static_cast<std::size_t>((n * height + y) * columns + x_)] == 0.0F);
        }
  }
}

TEST_CASE("DIM gives the extent of its axis") {
  for (const auto& [axis, expected] : {std::pair(0, 3), {1, 1}, {2, 5}}) {
    const auto done = run_on_constants(Op::kDIM, {Tensor(DType::kINT8, {3, 1, 5})}, {DType::kSHAPE, {1}},
                                       {{Attr::k_axis, std::int64_t{axis}}});
    CHECK(done.verdict == "valid");
    CHECK(done.output.data<std::int64_t>()[0] == expected);
  }
}
