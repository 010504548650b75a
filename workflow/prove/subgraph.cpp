#include "workflow/prove/subgraph.hpp"

#include <map>

namespace macaw::prove {

tosa::Graph subgraph(const tosa::Graph& graph, const Chain& chain, const Shape& shape) {
  const auto& from = graph.main();
  tosa::Graph out;
  out.version = graph.version;
  auto& block = out.blocks.emplace_back();
  block.name = from.name;
  std::map<tosa::ValueId, tosa::ValueId> ids;
  const auto add = [&](tosa::ValueId id, bool computed) {
    const auto [it, fresh] = ids.emplace(id, static_cast<tosa::ValueId>(block.values.size()));
    if (fresh) {
      block.values.push_back(from.values[id]);
      if (computed) block.values.back().shape = shape;
    }
    return it->second;
  };
  for (const auto input : chain.inputs) block.inputs.push_back(add(input, true));
  for (const auto index : chain.operators) {
    auto op = from.operators[index];
    if (op.op == tosa::Op::kRESHAPE || op.op == tosa::Op::kIDENTITY) {  // the same elements
      const auto same = add(op.inputs.front(), true);
      ids[op.outputs.front()] = same;
      block.outputs = {same};
      continue;
    }
    for (auto& input : op.inputs) {
      const bool constant = from.values[input].data != nullptr;
      const bool fresh = constant && !ids.contains(input);
      input = add(input, !constant);
      if (!fresh) continue;
      tosa::Operator make;
      make.op = tosa::Op::kCONST;
      make.outputs = {input};
      block.operators.push_back(std::move(make));
    }
    for (auto& output : op.outputs) output = add(output, true);
    block.outputs = {op.outputs.front()};
    block.operators.push_back(std::move(op));
  }
  return out;
}

}  // namespace macaw::prove
