#include <fmt/format.h>

#include <macaw/tosa/interpreter.hpp>

#include "reference/op/def.hpp"
#include "reference/operator_rules.hpp"
#include "reference/structure.hpp"

namespace macaw::tosa {
namespace {

/// Checks the operators of a block, carrying shapes forward where the file leaves them open.
Result<void> check_block(const Graph& graph, const Block& block, const Options& options,
                         std::vector<Finding>& findings) {
  std::vector<std::optional<Shape>> shapes(block.values.size());
  for (std::size_t i = 0; i < shapes.size(); ++i)
    if (block.values[i].is_static()) shapes[i] = block.values[i].shape;

  for (std::size_t i = 0; i < block.operators.size(); ++i) {
    const auto& op = block.operators[i];
    const auto place = place_of(graph, block, i);
    const auto* definition = find_definition(op.op);
    if (!definition)
      return fail(ErrorCode::kUnsupported, fmt::format("operator {} is not supported", to_string(op.op)),
                  Place{"", place, {}, {}});

    const auto operand = [&](ValueId id) {
      return make_operand(op, block.values[id].dtype, shapes[id] ? &*shapes[id] : nullptr, block.values[id].data.get());
    };
    // Contents of CONST outputs: what an operator without inputs produces, and what its readers see.
    std::vector<Operand> inputs, outputs;
    for (const auto id : op.inputs) inputs.push_back(operand(id));
    for (const auto id : op.outputs) outputs.push_back(operand(id));
    const View view{op, inputs, outputs, options.level};
    const auto before = findings.size();
    const auto* row = check_operator(*definition, view, graph.version, place, findings);
    if (!row) continue;
    bool open = false;
    for (const auto id : op.outputs) open |= !shapes[id];
    if (open) {
      auto found = infer_shapes(*definition, view);
      if (!found && note_wrong_shape(op, place, found.error(), findings)) continue;
      MACAW_ASSIGN(auto inferred, std::move(found));
      if (!inferred) continue;
      for (std::size_t k = 0; k < op.outputs.size(); ++k)
        if (!shapes[op.outputs[k]]) shapes[op.outputs[k]] = std::move((*inferred)[k]);
      outputs.clear();
      for (const auto id : op.outputs) outputs.push_back(operand(id));
      findings.resize(before);
      row = check_operator(*definition, View{op, inputs, outputs, options.level}, graph.version, place, findings);
    }
    if (!row) continue;
    if (!row->kernel)
      return fail(ErrorCode::kUnsupported, fmt::format("{} with these types is not supported", to_string(op.op)),
                  Place{"", place, {}, {}});
    check_bodies(graph, block, op, place, findings);
  }
  return {};
}

}  // namespace

Result<Verdict> validate(const Graph& graph, const Options& options) {
  Verdict verdict{check_structure(graph)};
  if (verdict.status() == Status::kError) return verdict;
  for (const auto& block : graph.blocks) MACAW_CHECK(check_block(graph, block, options, verdict.findings));
  return verdict;
}

}  // namespace macaw::tosa
