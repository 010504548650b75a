#include <cstring>
#include <memory>
#include <random>

#include "tests/bench/tosa/measure.hpp"

// Operators that do little more than move elements, beside a memcpy of as many bytes as they read and write (half of
// that number is copied). vs_memcpy: our time over its.

namespace macaw::bench {
namespace {

using tosa::Attr;
using tosa::Op;

/// An operator on tensors of 1 x 128 x 128 x 64 elements.
const Shape kShape{1, 128, 128, 64};

struct Case {
  Op op{};
  std::vector<Tensor> inputs;     ///< given for each run
  std::vector<Tensor> constants;  ///< after the inputs
  DType out{};
  Shape out_shape = kShape;
  std::vector<std::pair<Attr, tosa::AttributeValue>> attributes = {};
};

Tensor random_tensor(DType dtype, const Shape& shape, std::int64_t low = -100, std::int64_t high = 100) {
  std::mt19937 random(1);
  std::uniform_int_distribution<std::int64_t> any(low, high);
  Tensor tensor(dtype, shape);
  const auto fill = [&]<class T>(T) {
    for (auto& value : tensor.data<T>()) value = static_cast<T>(any(random));
  };
  switch (dtype) {
    case DType::kINT8: fill(std::int8_t{}); break;
    case DType::kINT16: fill(std::int16_t{}); break;
    case DType::kINT32: fill(std::int32_t{}); break;
    case DType::kFP32: fill(float{}); break;
    case DType::kFP16:
      for (auto& value : tensor.data<std::uint16_t>()) value = static_cast<std::uint16_t>(0x3C00 + any(random));
      break;
    default: break;
  }
  return tensor;
}

template <class T>
Tensor tensor_of(DType dtype, const std::vector<T>& values) {
  Tensor tensor(dtype, {std::ssize(values)});
  std::ranges::copy(values, tensor.data<T>().begin());
  return tensor;
}
Tensor shape_of(const std::vector<std::int64_t>& extents) { return tensor_of(DType::kSHAPE, extents); }

template <class T>
std::vector<std::byte> bytes_of(T value) {
  std::vector<std::byte> bytes(sizeof value);
  std::memcpy(bytes.data(), &value, sizeof value);
  return bytes;
}

Subject subject_of(const Case& c) {
  Subject subject{{{1, 0, 0, false}, {tosa::Block{}}}, c.inputs, {}};
  auto& block = subject.graph.blocks.front();
  const auto add = [&](DType dtype, const Shape& shape) {
    tosa::Value value;
    value.name = "v" + std::to_string(block.values.size());
    value.dtype = dtype;
    value.shape = shape;
    block.values.push_back(std::move(value));
    return static_cast<tosa::ValueId>(block.values.size() - 1);
  };
  tosa::Operator op;
  op.op = c.op;
  std::size_t moved = 0;
  for (const auto& input : c.inputs) {
    op.inputs.push_back(add(input.dtype(), input.shape()));
    block.inputs.push_back(op.inputs.back());
    moved += input.bytes().size();
  }
  for (const auto& constant : c.constants) {
    op.inputs.push_back(add(constant.dtype(), constant.shape()));
    block.values.back().data = std::make_shared<const Tensor>(constant);
    tosa::Operator make;
    make.op = constant.dtype() == DType::kSHAPE ? Op::kCONST_SHAPE : Op::kCONST;
    make.outputs = {op.inputs.back()};
    block.operators.push_back(std::move(make));
  }
  op.outputs = {add(c.out, c.out_shape)};
  block.outputs = op.outputs;
  for (const auto& [attribute, value] : c.attributes) op.set(attribute, value);
  block.operators.push_back(std::move(op));

  moved += Tensor(c.out, c.out_shape).bytes().size();
  const auto from = std::make_shared<std::vector<std::byte>>(moved / 2),
             to = std::make_shared<std::vector<std::byte>>(moved / 2);
  subject.yardstick = [=] {
    std::memcpy(to->data(), from->data(), from->size());
    benchmark::DoNotOptimize(to->data());
    benchmark::ClobberMemory();
  };
  return subject;
}

void moving(benchmark::State& state, const Case& c) {
  const auto [ours, copy] = measure(state, subject_of(c));
  if (copy > 0) state.counters["vs_memcpy"] = ours / copy;
}

std::vector<std::pair<std::string, Case>> cases() {
  constexpr auto i8 = DType::kINT8, i32 = DType::kINT32, fp32 = DType::kFP32, fp16 = DType::kFP16;
  const auto a8 = random_tensor(i8, kShape), a32 = random_tensor(i32, kShape), af = random_tensor(fp32, kShape),
             ah = random_tensor(fp16, kShape);
  const auto zero8 = tensor_of<std::int8_t>(i8, {0});
  const auto zero32 = tensor_of<std::int32_t>(i32, {0});
  const Shape twice{1, 128, 128, 128};
  std::vector<std::pair<std::string, Case>> all{
      {"ADD/int32", {Op::kADD, {a32, a32}, {}, i32}},
      {"ADD/fp32", {Op::kADD, {af, af}, {}, fp32}},
      {"ADD/fp16", {Op::kADD, {ah, ah}, {}, fp16}},
      {"SUB/int32", {Op::kSUB, {a32, a32}, {}, i32}},
      {"MUL/int8", {Op::kMUL, {a8, a8}, {zero8}, i32}},
      {"MUL/int32", {Op::kMUL, {a32, a32}, {zero8}, i32}},
      {"MUL/fp32", {Op::kMUL, {af, af}, {zero8}, fp32}},
      {"MAXIMUM/fp32", {Op::kMAXIMUM, {af, af}, {}, fp32}},
      {"BITWISE_AND/int8", {Op::kBITWISE_AND, {a8, a8}, {}, i8}},
      {"GREATER/int32", {Op::kGREATER, {a32, a32}, {}, DType::kBOOL}},
      {"NEGATE/int8", {Op::kNEGATE, {a8}, {zero8, zero8}, i8}},
      {"NEGATE/fp32", {Op::kNEGATE, {af}, {tensor_of<float>(fp32, {0}), tensor_of<float>(fp32, {0})}, fp32}},
      {"ABS/int32", {Op::kABS, {a32}, {}, i32}},
      {"TABLE/int8", {Op::kTABLE, {a8}, {random_tensor(i8, {256})}, i8}},
      {"RESCALE/int32_to_int8",
       {Op::kRESCALE,
        {a32},
        {tensor_of<std::int32_t>(i32, {1 << 30}), tensor_of<std::int8_t>(i8, {33}), zero32, zero8},
        i8,
        kShape,
        {{Attr::k_scale32, std::int64_t{1}},
         {Attr::k_rounding_mode, std::int64_t{0}},
         {Attr::k_per_channel, std::int64_t{0}},
         {Attr::k_input_unsigned, std::int64_t{0}},
         {Attr::k_output_unsigned, std::int64_t{0}}}}},
      {"CAST/int8_to_int32", {Op::kCAST, {a8}, {}, i32}},
      {"CAST/int32_to_int8", {Op::kCAST, {a32}, {}, i8}},
      {"CAST/fp32_to_int32", {Op::kCAST, {af}, {}, i32}},
      {"CAST/fp32_to_fp16", {Op::kCAST, {af}, {}, fp16}},
      {"GATHER/int8",
       {Op::kGATHER,
        {random_tensor(i8, {1, 16384, 64}), random_tensor(i32, {1, 16384}, 0, 16383)},
        {},
        i8,
        {1, 16384, 64}}},
  };
  all.push_back({"CLAMP/int8",
                 {Op::kCLAMP,
                  {a8},
                  {},
                  i8,
                  kShape,
                  {{Attr::k_min_val, bytes_of(std::int8_t{-50})},
                   {Attr::k_max_val, bytes_of(std::int8_t{50})},
                   {Attr::k_nan_mode, std::int64_t{0}}}}});
  all.push_back(
      {"CLAMP/fp32",
       {Op::kCLAMP,
        {af},
        {},
        fp32,
        kShape,
        {{Attr::k_min_val, bytes_of(-50.f)}, {Attr::k_max_val, bytes_of(50.f)}, {Attr::k_nan_mode, std::int64_t{0}}}}});
  for (const auto& [type, a] : {std::pair{std::string("/int8"), a8}, {std::string("/fp32"), af}}) {
    const auto dtype = a.dtype();
    const auto pad = dtype == i8 ? zero8 : tensor_of<float>(fp32, {0});
    all.push_back({"RESHAPE" + type, {Op::kRESHAPE, {a}, {shape_of({16384, 64})}, dtype, {16384, 64}}});
    all.push_back({"CONCAT" + type, {Op::kCONCAT, {a, a}, {}, dtype, twice, {{Attr::k_axis, std::int64_t{3}}}}});
    all.push_back(
        {"SLICE" + type,
         {Op::kSLICE, {random_tensor(dtype, {1, 130, 130, 66})}, {shape_of({0, 1, 1, 1}), shape_of(kShape)}, dtype}});
    all.push_back({"PAD" + type, {Op::kPAD, {a}, {shape_of({0, 0, 1, 1, 1, 1, 0, 0}), pad}, dtype, {1, 130, 130, 64}}});
    all.push_back({"REVERSE_height" + type, {Op::kREVERSE, {a}, {}, dtype, kShape, {{Attr::k_axis, std::int64_t{1}}}}});
    all.push_back(
        {"REVERSE_channels" + type, {Op::kREVERSE, {a}, {}, dtype, kShape, {{Attr::k_axis, std::int64_t{3}}}}});
    all.push_back({"TILE" + type, {Op::kTILE, {a}, {shape_of({1, 1, 1, 2})}, dtype, twice}});
    all.push_back({"TRANSPOSE_0213" + type,
                   {Op::kTRANSPOSE, {a}, {}, dtype, kShape, {{Attr::k_perms, std::vector<std::int64_t>{0, 2, 1, 3}}}}});
    all.push_back({"TRANSPOSE_0312" + type,
                   {Op::kTRANSPOSE,
                    {a},
                    {},
                    dtype,
                    {1, 64, 128, 128},
                    {{Attr::k_perms, std::vector<std::int64_t>{0, 3, 1, 2}}}}});
  }
  return all;
}

const bool kRegistered = [] {
  for (auto& [name, c] : cases())
    benchmark::RegisterBenchmark(name.c_str(), [c = c](benchmark::State& state) { moving(state, c); })
        ->UseManualTime()
        ->Unit(benchmark::kMicrosecond);
  return true;
}();

}  // namespace
}  // namespace macaw::bench
