#include "models/sample.hpp"

#include <macaw/tosa/interpreter.hpp>

#include <limits>
#include <stdexcept>

#include <fmt/format.h>

namespace macaw::models {

namespace {

template <class T>
void fill(Tensor& tensor, Random& random, std::int64_t deviation) {
  const auto data = tensor.data<T>();
  const auto step = tensor.rank() == 0 ? std::size_t{1} : static_cast<std::size_t>(tensor.shape().back());
  for (std::size_t i = 0; i < data.size(); ++i) {
    const auto drawn = random.normal(deviation, std::numeric_limits<T>::max());
    data[i] = static_cast<T>(i < step ? drawn : (drawn * 3 + data[i - step]) / 4);
  }
}

}  // namespace

void fill_smooth(Tensor& tensor, Random& random) {
  constexpr std::int64_t kDeviation = 40;
  if (tensor.dtype() == DType::kINT16) fill<std::int16_t>(tensor, random, kDeviation * 256);
  else fill<std::int8_t>(tensor, random, kDeviation);
}

Tensor run_operator(const tosa::Graph& graph, std::size_t index, std::vector<Tensor> samples) {
  const auto& block = graph.main();
  const auto& source = block.operators[index];
  tosa::Graph single;
  single.version = graph.version;
  auto& out = single.blocks.emplace_back();
  out.name = block.name;
  auto op = source;
  const auto copy = [&](tosa::ValueId id) {
    out.values.push_back(block.values[id]);
    out.values.back().name = fmt::format("v{}", out.values.size());
    return static_cast<tosa::ValueId>(out.values.size() - 1);
  };
  std::vector<Tensor> inputs;
  for (std::size_t i = 0; i < op.inputs.size(); ++i) {
    const auto id = op.inputs[i] = copy(op.inputs[i]);
    const auto& value = out.values[id];
    if (!value.data) {
      out.inputs.push_back(id);
      inputs.push_back(std::move(samples.at(i)));
      continue;
    }
    auto& constant = out.operators.emplace_back();
    constant.op = value.dtype == DType::kSHAPE ? tosa::Op::kCONST_SHAPE : tosa::Op::kCONST;
    constant.outputs = {id};
  }
  for (auto& id : op.outputs) out.outputs.push_back(id = copy(id));
  out.operators.push_back(std::move(op));

  auto result = tosa::run(single, std::move(inputs));
  if (!result) throw std::logic_error("model builder: " + result.error().to_string());
  if (result->outputs.empty())
    throw std::logic_error("model builder: " + tosa::describe(block, index) + ": " +
                           result->verdict.findings.front().to_string());
  return std::move(result->outputs.front());
}

}  // namespace macaw::models
