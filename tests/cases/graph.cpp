#include "tests/cases/graph.hpp"

#include <fmt/format.h>

namespace macaw::test {
namespace {

/// Whether each input of the operator must be a compile-time constant; every member of a list has its argument's
/// answer.
std::vector<bool> must_be_constants(const Case& c) {
  std::vector<bool> result;
  std::size_t single = 0;
  const auto& arguments = tosa::find_definition(c.op.op)->arguments;
  for (const auto& argument : arguments) single += argument.category == tosa::Category::kInput && !argument.list;
  for (const auto& argument : arguments)
    if (argument.category == tosa::Category::kInput)
      result.insert(result.end(), argument.list ? c.inputs.size() - single : 1, argument.ctc);
  return result;
}

}  // namespace

CaseGraph::CaseGraph(const tosa::Version& version) : graph{version, {{}}} { graph.blocks.front().name = "main"; }

tosa::ValueId CaseGraph::value(DType dtype, Shape shape) {
  auto& values = graph.blocks.front().values;
  values.push_back({fmt::format("t{}", values.size()), dtype, std::move(shape), nullptr, false, ""});
  return static_cast<tosa::ValueId>(values.size() - 1);
}

tosa::ValueId CaseGraph::operand(const Tensor& tensor, bool constant) {
  auto& block = graph.blocks.front();
  const auto id = value(tensor.dtype(), tensor.shape());
  if (constant) {
    tosa::Operator op;
    op.op = tensor.dtype() == DType::kSHAPE ? tosa::Op::kCONST_SHAPE : tosa::Op::kCONST;
    op.outputs = {id};
    block.operators.push_back(std::move(op));
    block.values[id].data = std::make_shared<const Tensor>(tensor);
  } else {
    block.inputs.push_back(id);
    inputs.push_back(tensor);
  }
  return id;
}

std::vector<tosa::ValueId> CaseGraph::append(const Case& c, std::optional<tosa::ValueId> given, bool constants) {
  auto& block = graph.blocks.front();
  auto op = c.op;
  const auto needed = must_be_constants(c);
  for (std::size_t i = 0; i < c.inputs.size(); ++i) {
    const auto& tensor = c.inputs[i];
    const bool constant = constants || tensor.dtype() == DType::kSHAPE || (i < needed.size() && needed[i]);
    op.inputs.push_back(given && c.given == static_cast<int>(i) ? *given : operand(tensor, constant));
  }
  for (const auto& [dtype, shape] : c.outputs) {
    const auto id = value(dtype, shape);
    if (c.op.op == tosa::Op::kCONST || c.op.op == tosa::Op::kCONST_SHAPE)
      block.values[id].data = std::make_shared<const Tensor>(c.data);
    op.outputs.push_back(id);
    block.outputs.push_back(id);
  }
  block.operators.push_back(op);
  return op.outputs;
}

CaseGraph graph_of(const Case& c, const tosa::Version& version) {
  CaseGraph result(version);
  (void)result.append(c);
  return result;
}

}  // namespace macaw::test
