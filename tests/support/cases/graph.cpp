#include "tests/support/cases/graph.hpp"

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

std::size_t CaseGraph::add_block() {
  graph.blocks.push_back({fmt::format("block{}", graph.blocks.size()), {}, {}, {}, {}});
  return graph.blocks.size() - 1;
}

tosa::ValueId CaseGraph::add_value(DType dtype, Shape shape, std::size_t block) {
  auto& values = graph.blocks[block].values;
  values.push_back({fmt::format("t{}", values.size()), dtype, std::move(shape), nullptr, false, ""});
  return static_cast<tosa::ValueId>(values.size() - 1);
}

tosa::ValueId CaseGraph::add_operand(const Tensor& tensor, bool constant, std::size_t block) {
  const auto id = add_value(tensor.dtype(), tensor.shape(), block);
  auto& to = graph.blocks[block];
  if (constant || block != 0) {
    tosa::Operator op;
    op.op = tensor.dtype() == DType::kSHAPE ? tosa::Op::kCONST_SHAPE : tosa::Op::kCONST;
    op.outputs = {id};
    to.operators.push_back(std::move(op));
    to.values[id].data = std::make_shared<const Tensor>(tensor);
  } else {
    to.inputs.push_back(id);
    inputs.push_back(tensor);
  }
  return id;
}

std::vector<tosa::ValueId> CaseGraph::append(const Case& c, std::optional<tosa::ValueId> given, bool constants) {
  Given values;
  if (given && c.given >= 0) values.emplace(static_cast<std::size_t>(c.given), *given);
  return append(c, values, constants, 0);
}

std::vector<tosa::ValueId> CaseGraph::append(const Case& c, const Given& given, bool constants, std::size_t block) {
  auto op = c.op;
  const auto needed = must_be_constants(c);
  for (std::size_t i = 0; i < c.inputs.size(); ++i) {
    const auto& tensor = c.inputs[i];
    const bool constant = constants || tensor.dtype() == DType::kSHAPE || (i < needed.size() && needed[i]);
    const auto value = given.find(i);
    op.inputs.push_back(value == given.end() ? add_operand(tensor, constant, block) : value->second);
  }
  for (const auto& [dtype, shape] : c.outputs) {
    const auto id = add_value(dtype, shape, block);
    if (c.op.op == tosa::Op::kCONST || c.op.op == tosa::Op::kCONST_SHAPE)
      graph.blocks[block].values[id].data = std::make_shared<const Tensor>(c.data);
    op.outputs.push_back(id);
    if (block == 0) graph.blocks[block].outputs.push_back(id);
  }
  graph.blocks[block].operators.push_back(op);
  return op.outputs;
}

CaseGraph graph_of(const Case& c, const tosa::Version& version) {
  CaseGraph result(version);
  (void)result.append(c);
  return result;
}

}  // namespace macaw::test
