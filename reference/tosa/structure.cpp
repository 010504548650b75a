#include "reference/tosa/structure.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace macaw::tosa {
namespace {

void add(std::vector<BrokenRule>& findings, std::string place, std::string rule, std::string text) {
  findings.push_back({Status::kError, std::move(place), "", std::move(rule), std::move(text)});
}

void check_block(const Graph& graph, const Block& block, std::vector<BrokenRule>& findings) {
  const auto in_range = [&](const std::vector<ValueId>& ids) {
    return std::ranges::all_of(ids, [&](ValueId id) { return id < block.values.size(); });
  };
  const auto place = fmt::format("block {}", block.name);
  if (!in_range(block.inputs) || !in_range(block.outputs))
    return add(findings, place, "graph.index", "a tensor does not exist");
  std::vector<bool> assigned(block.values.size());
  for (const auto id : block.inputs) {
    if (assigned[id])
      return add(findings, place, "graph.ssa", fmt::format("input \"{}\" appears twice", block.values[id].name));
    assigned[id] = true;
  }
  const auto available = [&](ValueId id) { return assigned[id]; };
  for (std::size_t i = 0; i < block.operators.size(); ++i) {
    const auto& op = block.operators[i];
    const auto where = [&] { return place_of(graph, block, i); };
    if (!in_range(op.inputs) || !in_range(op.outputs))
      return add(findings, where(), "graph.index", "a tensor does not exist");
    for (const auto id : op.inputs)
      if (block.values[id].variable)
        return add(findings, where(), "graph.variable",
                   fmt::format("variable \"{}\" is used other than by VARIABLE_READ", block.values[id].name));
    if (op.op == Op::kVARIABLE)
      for (const auto id : op.outputs)
        if (!block.values[id].variable)
          return add(findings, where(), "graph.variable",
                     fmt::format("the output \"{}\" of VARIABLE is not a variable", block.values[id].name));
    for (const auto id : op.inputs)
      if (!available(id))
        return add(findings, where(), "graph.order",
                   fmt::format("\"{}\" is used before it is produced", block.values[id].name));
    for (const auto id : op.outputs) {
      if (assigned[id])
        return add(findings, where(), "graph.ssa", fmt::format("\"{}\" is assigned twice", block.values[id].name));
      assigned[id] = true;
    }
    for (const auto attribute : {Attr::k_then_graph, Attr::k_else_graph, Attr::k_cond_graph, Attr::k_body_graph})
      if (op.find(attribute) && !graph.find_block(op.get_string(attribute)))
        return add(findings, where(), "graph.block",
                   fmt::format("{} \"{}\" does not exist", to_string(attribute), op.get_string(attribute)));
  }
  for (const auto id : block.outputs)
    if (!available(id))
      return add(findings, place, "graph.output",
                 fmt::format("output \"{}\" is never produced", block.values[id].name));
}

/// Whether two values may stand for each other: equal types, and shapes that do not contradict.
bool compatible(const Value& a, const Value& b) {
  if (a.dtype != b.dtype) return false;
  if (!a.shape || !b.shape) return true;
  if (a.shape->size() != b.shape->size()) return false;
  for (std::size_t i = 0; i < a.shape->size(); ++i)
    if ((*a.shape)[i] >= 0 && (*b.shape)[i] >= 0 && (*a.shape)[i] != (*b.shape)[i]) return false;
  return true;
}

bool compatible(const Block& a, std::span<const ValueId> list, const Block& b, std::span<const ValueId> other) {
  if (list.size() != other.size()) return false;
  for (std::size_t i = 0; i < list.size(); ++i)
    if (!compatible(a.values[list[i]], b.values[other[i]])) return false;
  return true;
}

}  // namespace

std::string place_of(const Graph& graph, const Block& block, std::size_t operator_index) {
  const auto place = describe(block, operator_index);
  return &block == &graph.blocks.front() ? place : fmt::format("block {}: {}", block.name, place);
}

std::vector<BrokenRule> check_structure(const Graph& graph) {
  std::vector<BrokenRule> findings;
  if (graph.blocks.empty()) add(findings, "", "graph.main", "the graph has no block");
  for (const auto& block : graph.blocks) check_block(graph, block, findings);
  return findings;
}

void check_bodies(const Graph& graph, const Block& block, const Operator& op, const std::string& place,
                  std::vector<BrokenRule>& findings) {
  const auto require = [&](bool holds, Attr attribute, std::string_view text) {
    if (!holds)
      findings.push_back({Status::kError, place, std::string(to_string(attribute)),
                          fmt::format("{}.body", to_string(op.op)), std::string(text)});
  };
  const std::span<const ValueId> inputs = op.inputs, outputs = op.outputs;
  if (op.op == Op::kCOND_IF && !inputs.empty()) {
    for (const auto attribute : {Attr::k_then_graph, Attr::k_else_graph}) {
      const auto& body = *graph.find_block(op.get_string(attribute));
      require(compatible(block, inputs.subspan(1), body, body.inputs), attribute,
              "the inputs of the graph must be those of the operator");
      require(compatible(block, outputs, body, body.outputs), attribute,
              "the outputs of the graph must be those of the operator");
    }
  } else if (op.op == Op::kWHILE_LOOP) {
    const auto& condition = *graph.find_block(op.get_string(Attr::k_cond_graph));
    const auto& body = *graph.find_block(op.get_string(Attr::k_body_graph));
    require(compatible(block, inputs, block, outputs), Attr::k_body_graph,
            "inputs and outputs must have equal types and shapes");
    require(compatible(block, inputs, condition, condition.inputs), Attr::k_cond_graph,
            "the inputs of the graph must be those of the operator");
    require(compatible(block, inputs, body, body.inputs), Attr::k_body_graph,
            "the inputs of the graph must be those of the operator");
    require(compatible(block, inputs, body, body.outputs), Attr::k_body_graph,
            "the outputs of the graph must be those of the operator");
    const bool one = condition.outputs.size() == 1;
    const Value* flag = one ? &condition.values[condition.outputs[0]] : nullptr;
    require(flag && flag->dtype == DType::kBOOL && (!flag->is_static() || *element_count(*flag->shape) == 1),
            Attr::k_cond_graph, "the graph must have one output, a single bool");
  }
}

}  // namespace macaw::tosa
