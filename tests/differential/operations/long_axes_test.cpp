#include <catch2/catch.hpp>

#include <macaw/npu/simulator.hpp>
#include <macaw/tosa/interpreter.hpp>

#include "compiler/compile.hpp"
#include "tests/support/cases/graph.hpp"

#include <algorithm>

// Extents beyond those of random cases: longer than a register, longer than a window, many times a block.
using namespace macaw;
using namespace macaw::test;

namespace {

Tensor random_tensor(DType dtype, Shape shape, std::int64_t low, std::int64_t high) {
  static Random random(7);
  std::uniform_int_distribution<std::int64_t> any(low, high);
  Tensor tensor(dtype, std::move(shape));
  const auto fill = [&](auto data) {
    for (auto& v : data) v = static_cast<std::remove_reference_t<decltype(v)>>(any(random));
  };
  switch (size_of(dtype)) {
    case 1: fill(tensor.data<std::int8_t>()); break;
    case 2: fill(tensor.data<std::int16_t>()); break;
    case 4: fill(tensor.data<std::int32_t>()); break;
    default: fill(tensor.data<std::int64_t>()); break;
  }
  return tensor;
}

void compare(const Case& c) {
  const auto made = graph_of(c);
  tosa::Options options;
  options.level = tosa::kLevelNone;
  const auto want = tosa::run(made.graph, made.inputs, options);
  if (!want) FAIL(want.error().to_string());
  REQUIRE(want->verdict.status() == tosa::Status::kValid);
  std::vector<npu::NamedTensor> inputs;
  for (const auto& tensor : made.inputs) inputs.push_back({"", tensor});
  for (const char* name : {"ethos-u55-128", "ethos-u65-512", "ethos-u85-256"}) {
    INFO(to_string(c.op.op) << " on " << name);
    const auto* accelerator = npu::find_accelerator(name);
    const auto compiled = npu::compile(made.graph, *accelerator);
    if (!compiled) FAIL(compiled.error().to_string());
    const auto got = npu::run_functional(npu::to_artifact(*compiled), *accelerator, inputs);
    if (!got) FAIL(got.error().to_string());
    CHECK(std::ranges::equal(got->outputs.at(0).bytes(), want->outputs.at(0).bytes()));
  }
}

Case case_of(tosa::Op op, std::vector<Tensor> inputs, DType type, Shape shape) {
  Case c;
  c.op.op = op;
  c.inputs = std::move(inputs);
  c.outputs = {{type, std::move(shape)}};
  return c;
}

constexpr std::int64_t kLimit = 1 << 29;
constexpr DType kI8 = DType::kINT8, kI16 = DType::kINT16, kI32 = DType::kINT32;

}  // namespace

TEST_CASE("elementwise operations go through axes longer than a register holds") {
  for (const std::int64_t n : {70001, 131072, 196609})
    compare(case_of(tosa::Op::kADD,
                    {random_tensor(kI32, {n}, -kLimit, kLimit), random_tensor(kI32, {n}, -kLimit, kLimit)}, kI32, {n}));
  compare(case_of(tosa::Op::kMAXIMUM, {random_tensor(kI32, {1, 300}, -9, 9), random_tensor(kI32, {200, 1}, -9, 9)},
                  kI32, {200, 300}));
}

TEST_CASE("reductions fold axes longer than a window") {
  for (const auto op : {tosa::Op::kREDUCE_MAX, tosa::Op::kREDUCE_MIN}) {
    for (const auto type : {kI8, kI16, kI32}) {
      auto c = case_of(op, {random_tensor(type, {2, 1001, 3}, -100, 100)}, type, {2, 1, 3});
      c.op.set(tosa::Attr::k_axis, std::int64_t{1});
      compare(c);
    }
  }
  auto sum = case_of(tosa::Op::kREDUCE_SUM, {random_tensor(kI32, {70000, 3}, -9999, 9999)}, kI32, {70000, 1});
  sum.op.set(tosa::Attr::k_axis, std::int64_t{1});
  compare(sum);
  auto index = case_of(tosa::Op::kARGMAX, {random_tensor(kI8, {5, 3000}, -128, 127)}, kI32, {5});
  index.op.set(tosa::Attr::k_axis, std::int64_t{1});
  compare(index);
}

TEST_CASE("elements move along axes longer than a register holds") {
  auto transpose = case_of(tosa::Op::kTRANSPOSE, {random_tensor(kI8, {300, 500}, -128, 127)}, kI8, {500, 300});
  transpose.op.set(tosa::Attr::k_perms, std::vector<std::int64_t>{1, 0});
  compare(transpose);
  auto reverse = case_of(tosa::Op::kREVERSE, {random_tensor(kI16, {70001}, -32768, 32767)}, kI16, {70001});
  reverse.op.set(tosa::Attr::k_axis, std::int64_t{0});
  compare(reverse);
  Tensor padding(DType::kSHAPE, {4});
  std::ranges::copy(std::vector<std::int64_t>{3, 0, 1, 700}, padding.data<std::int64_t>().begin());
  compare(case_of(tosa::Op::kPAD, {random_tensor(kI16, {100, 100}, -999, 999), padding, random_tensor(kI16, {1}, 5, 5)},
                  kI16, {103, 801}));
}
