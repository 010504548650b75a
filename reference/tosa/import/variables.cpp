#include "reference/tosa/import/variables.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace macaw::tosa {

VariableTensors::VariableTensors(const Graph& graph) {
  for (const auto& block : graph.blocks)
    for (const auto& op : block.operators)
      if (op.op == Op::kVARIABLE && !op.outputs.empty())
        declared_.emplace(op.get_string(Attr::k_name), &block.values[op.outputs[0]]);
}

Result<const Value*> VariableTensors::find(const Block& block, const Operator& op) const {
  const auto& name = op.get_string(Attr::k_name);
  for (const auto& value : block.values)
    if (value.variable && value.variable_name == name) return &value;
  const auto found = declared_.find(name);
  if (found == declared_.end())
    return fail(ErrorCode::kInvalidGraph, fmt::format("{}: no VARIABLE declares \"{}\"", to_string(op.op), name));
  return found->second;
}

Result<std::vector<const Value*>> VariableTensors::missing(const Block& block) const {
  std::vector<const Value*> all;
  for (const auto& op : block.operators) {
    if (op.op != Op::kVARIABLE_READ && op.op != Op::kVARIABLE_WRITE) continue;
    MACAW_ASSIGN(const auto* value, find(block, op));
    const bool own = !block.values.empty() && value >= block.values.data() && value <= &block.values.back();
    if (!own && std::ranges::find(all, value) == all.end()) all.push_back(value);
  }
  return all;
}

}  // namespace macaw::tosa
