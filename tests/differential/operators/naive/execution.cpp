#include "tests/differential/operators/naive/execution.hpp"

namespace macaw::test::naive {

using tosa::Attr;
using tosa::Op;

std::vector<Tensor> compute(const tosa::Operator& op, std::span<const Tensor> inputs,
                            std::span<const std::pair<DType, Shape>> outputs) {
  std::vector<Tensor> results;
  for (const auto& [dtype, shape] : outputs) results.emplace_back(dtype, shape);
  Node node{op, inputs, results};
  find(op.op)(node);
  return results;
}

std::vector<Tensor> Execution::run(const tosa::Block& block, const std::vector<Tensor>& inputs) {
  std::map<tosa::ValueId, Tensor> values;
  for (std::size_t i = 0; i < inputs.size(); ++i) values[block.inputs[i]] = inputs[i];
  const auto gather = [&](const std::vector<tosa::ValueId>& ids) {
    std::vector<Tensor> tensors;
    for (const auto id : ids) tensors.push_back(values.at(id));
    return tensors;
  };
  for (const auto& op : block.operators) {
    auto results = run(block, op, gather(op.inputs));
    for (std::size_t i = 0; i < results.size(); ++i) values[op.outputs[i]] = std::move(results[i]);
  }
  return gather(block.outputs);
}

std::vector<Tensor> Execution::run(const tosa::Block& block, const tosa::Operator& op,
                                   const std::vector<Tensor>& inputs) {
  const auto& name = op.get_string(Attr::k_name);
  switch (op.op) {
    case Op::kCONST:
    case Op::kCONST_SHAPE: return {*block.values[op.outputs[0]].data};
    case Op::kCUSTOM: return inputs;
    case Op::kCOND_IF: {
      const bool condition = int_at(inputs[0], 0) != 0;
      return run(op, condition ? Attr::k_then_graph : Attr::k_else_graph, {inputs.begin() + 1, inputs.end()});
    }
    case Op::kWHILE_LOOP: return loop(op, inputs);
    case Op::kVARIABLE: declare(name, block.values[op.outputs[0]]); return {};
    case Op::kVARIABLE_WRITE:
      require(seen_.contains(name));
      variables_[name] = inputs[0];
      return {};
    case Op::kVARIABLE_READ: require(variables_.contains(name)); return {variables_[name]};
    default: break;
  }
  std::vector<std::pair<DType, Shape>> outputs;
  for (const auto id : op.outputs) outputs.emplace_back(block.values[id].dtype, *block.values[id].shape);
  return compute(op, inputs, outputs);
}

std::vector<Tensor> Execution::run(const tosa::Operator& op, Attr block, const std::vector<Tensor>& inputs) {
  return run(*graph_->find_block(op.get_string(block)), inputs);
}

std::vector<Tensor> Execution::loop(const tosa::Operator& op, std::vector<Tensor> list) {
  while (int_at(run(op, Attr::k_cond_graph, list)[0], 0) != 0) list = run(op, Attr::k_body_graph, list);
  return list;
}

void Execution::declare(const std::string& name, const tosa::Value& value) {
  require(seen_.insert(name).second);
  // Results of an earlier execution are kept.
  if (value.data) variables_.emplace(name, *value.data);
}

}  // namespace macaw::test::naive
