#include "tests/tools/bench/tosa/moving.hpp"

#include <memory>
#include <random>

#include "base/large_memory.hpp"

namespace macaw::bench {
namespace {

/// A memcpy of as many bytes as the operator reads from its inputs and writes, half of them copied.
std::function<void()> memcpy_of(const Case& c, const Subject& subject) {
  auto moved = Tensor(c.out, c.out_shape).bytes().size();
  for (const auto& input : subject.inputs) moved += input.bytes().size();
  const auto from = std::make_shared<std::vector<std::byte>>(moved / 2),
             to = std::make_shared<std::vector<std::byte>>(moved / 2);
  return [=] {
    std::memcpy(to->data(), from->data(), from->size());
    benchmark::DoNotOptimize(to->data());
    benchmark::ClobberMemory();
  };
}

void moving(benchmark::State& state, const Case& c) {
  auto subject = subject_of(c);
  subject.yardstick = memcpy_of(c, subject);
  const auto [ours, copy] = measure(state, subject);
  if (copy > 0) state.counters["vs_memcpy"] = ours / copy;
}

}  // namespace

Subject subject_of(const Case& c) {
  Subject subject{{{1, 1, 0, true}, {tosa::Block{}}}, {}, {}};
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
  for (const auto& input : c.inputs) {
    op.inputs.push_back(add(input.dtype, input.shape));
    block.inputs.push_back(op.inputs.back());
    subject.inputs.push_back(random_tensor(input));
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
  return subject;
}

Tensor random_tensor(const Values& values) {
  std::mt19937 random(1);
  std::uniform_int_distribution<std::int64_t> any(values.low, values.high);
  Tensor tensor(values.dtype, values.shape);
  std::int64_t count = 0;
  const auto next = [&] {
    constexpr std::int64_t kOdd = 7919;
    return values.distinct ? values.low + count++ * kOdd % tensor.size() : any(random);
  };
  const auto fill = [&]<class T>(T offset) {
    for (auto& value : tensor.data<T>()) value = static_cast<T>(offset + static_cast<T>(next()));
  };
  switch (values.dtype) {
    case DType::kBOOL:
      for (auto& value : tensor.data<std::uint8_t>()) value = any(random) % 2 != 0;
      break;
    case DType::kINT8: fill(std::int8_t{}); break;
    case DType::kINT16: fill(std::int16_t{}); break;
    case DType::kINT32: fill(std::int32_t{}); break;
    case DType::kINT48:
    case DType::kINT64: fill(std::int64_t{}); break;
    case DType::kFP32: fill(float{}); break;
    case DType::kFP16: fill(std::uint16_t{0x3C00}); break;
    case DType::kBF16: fill(std::uint16_t{0x3F80}); break;
    case DType::kFP8E4M3:
    case DType::kFP8E5M2: fill(std::uint8_t{0}); break;
    default: break;
  }
  if (is_block_scale(values.dtype)) {
    fill(std::uint8_t{0});
    std::ranges::fill(tensor.bytes().subspan(static_cast<std::size_t>(tensor.size())), std::byte{127});  // 1
  }
  return tensor;
}

bool register_cases(std::vector<Case> cases) {
  // As in a graph of many operators, results get memory that was in use before.
  static const KeepFreedMemory keeper;
  for (auto& c : cases)
    benchmark::RegisterBenchmark(c.name.c_str(), [c = c](benchmark::State& state) { moving(state, c); })
        ->UseManualTime()
        ->Unit(benchmark::kMicrosecond);
  return true;
}

}  // namespace macaw::bench
