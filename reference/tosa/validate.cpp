#include <fmt/format.h>

#include <algorithm>
#include <memory>

#include <macaw/tosa/interpreter.hpp>

#include "reference/tosa/op/custom.hpp"
#include "reference/tosa/op/def.hpp"
#include "reference/tosa/operator_rules.hpp"
#include "reference/tosa/run_cache.hpp"
#include "reference/tosa/structure.hpp"

namespace macaw::tosa {
namespace {

/// Result of a shape operator if it is known before the run; null otherwise.
std::shared_ptr<const Tensor> evaluated(const Definition& definition, const View& view) {
  const auto extents = definition.shape_value(view);
  if (!extents) return nullptr;
  Tensor tensor(DType::kSHAPE, {static_cast<std::int64_t>(extents->size())});
  std::ranges::copy(*extents, tensor.data<std::int64_t>().begin());
  return std::make_shared<const Tensor>(std::move(tensor));
}

/// Inputs that must be compile-time constants: outputs of CONST and of operators that compute shapes, which are
/// evaluated before the run. `constant`: whether each value of the block is one.
void check_constants(const Definition& definition, const Block& block, const Operator& op,
                     const std::vector<bool>& constant, ProfileMask profiles, const std::string& place,
                     std::vector<BrokenRule>& findings) {
  std::size_t single = 0, next = 0;
  for (const auto& argument : definition.arguments) single += argument.category == Category::kInput && !argument.list;
  for (const auto& argument : definition.arguments) {
    if (argument.category != Category::kInput) continue;
    const bool required = argument.always_ctc || (argument.ctc && !(profiles & mask(Profile::kExtDynamic)));
    for (auto count = argument.list ? op.inputs.size() - single : 1; count > 0; --count) {
      const auto id = op.inputs[next++];
      if (required && !constant[id])
        findings.push_back({Status::kError, place, std::string(argument.name),
                            fmt::format("{}.constant", to_string(op.op)),
                            fmt::format("\"{}\" must be a compile-time constant", block.values[id].name)});
    }
  }
}

/// Checks the operators of a block, carrying shapes forward where the file leaves them open. Long: each step of an
/// operator's check may be its last.
Result<void> check_block(const Graph& graph, const Block& block, const Options& options,
                         std::vector<BrokenRule>& findings, RunCache& cache) {
  std::vector<std::optional<Shape>> shapes(block.values.size());
  for (std::size_t i = 0; i < shapes.size(); ++i)
    if (block.values[i].is_static()) shapes[i] = block.values[i].shape;
  // Contents of constants and of the shapes computed from them.
  std::vector<std::shared_ptr<const Tensor>> known(block.values.size());
  std::vector<bool> constant(block.values.size());

  for (std::size_t i = 0; i < block.operators.size(); ++i) {
    const auto& op = block.operators[i];
    const auto place = place_of(graph, block, i);
    const auto* definition = find_definition(op.op);
    if (!definition)
      return fail(ErrorCode::kUnsupported, fmt::format("operator {} is not supported", to_string(op.op)),
                  Place{"", place, {}, {}});

    const auto operand = [&](ValueId id) {
      return make_operand(op, block.values[id].dtype, shapes[id] ? &*shapes[id] : nullptr, known[id].get());
    };
    if (op.op == Op::kCONST || op.op == Op::kCONST_SHAPE || definition->shape_value)
      for (const auto id : op.outputs) {
        known[id] = block.values[id].data;
        constant[id] = true;
      }
    std::vector<Operand> inputs, outputs;
    for (const auto id : op.inputs) inputs.push_back(operand(id));
    for (const auto id : op.outputs) outputs.push_back(operand(id));
    const View view{op, inputs, outputs, options.level, options.profiles};
    const auto before = findings.size();
    const auto* row = check_operator(*definition, view, graph.version, place, findings);
    if (!row) continue;
    bool open = false;
    for (const auto id : op.outputs) open |= !shapes[id];
    if (open) {
      auto found = infer_shapes(*definition, view);
      if (!found && note_wrong_shape(op, place, found.error(), findings)) continue;
      MACAW_ASSIGN(auto inferred, std::move(found));
      if (!inferred) {
        check_bodies(graph, block, op, place, findings);
        continue;
      }
      if (note_contradiction(block, op, place, *inferred, findings)) continue;
      for (std::size_t k = 0; k < op.outputs.size(); ++k)
        if (!shapes[op.outputs[k]]) shapes[op.outputs[k]] = std::move((*inferred)[k]);
      outputs.clear();
      for (const auto id : op.outputs) outputs.push_back(operand(id));
      findings.resize(before);
      row = check_operator(*definition, View{op, inputs, outputs, options.level, options.profiles}, graph.version,
                           place, findings);
    }
    if (!row) continue;
    // The run uses the same contents of a constant that were checked here.
    const auto is_as_declared = [&](ValueId id) {
      const auto& value = block.values[id];
      return !value.data || (known[id] && value.data->shape() == value.shape);
    };
    if (findings.size() == before && std::ranges::all_of(op.inputs, is_as_declared) &&
        rules_read_graph_alone(*definition, block, op))
      cache.operators[&op].row = row;
    if (!row->kernel)
      return fail(ErrorCode::kUnsupported, fmt::format("{} with these types is not supported", to_string(op.op)),
                  Place{"", place, {}, {}});
    if (op.op == Op::kCUSTOM) {
      MACAW_ASSIGN(const bool may_run,
                   check_custom(View{op, inputs, outputs, options.level, options.profiles}, place, findings));
      if (!may_run) continue;
    }
    check_constants(*definition, block, op, constant, options.profiles, place, findings);
    check_bodies(graph, block, op, place, findings);
    if (definition->shape_value)
      known[op.outputs[0]] = evaluated(*definition, View{op, inputs, outputs, options.level});
  }
  return {};
}

}  // namespace

Result<Verdict> validate(const Graph& graph, const Options& options) {
  RunCache cache;
  return validate(graph, options, cache);
}

Result<Verdict> validate(const Graph& graph, const Options& options, RunCache& cache) {
  Verdict verdict{check_structure(graph)};
  if (verdict.status() == Status::kError) return verdict;
  for (const auto& block : graph.blocks) MACAW_CHECK(check_block(graph, block, options, verdict.findings, cache));
  return verdict;
}

}  // namespace macaw::tosa
