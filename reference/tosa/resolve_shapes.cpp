#include <macaw/tosa/resolve_shapes.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <span>

#include <macaw/tosa/interpreter.hpp>

#include "reference/tosa/op/def.hpp"
#include "reference/tosa/operator_rules.hpp"
#include "reference/tosa/structure.hpp"

namespace macaw::tosa {
namespace {

/// An error of an operator, at its place.
tl::unexpected<Error> wrong(ErrorCode code, std::string text, const std::string& place) {
  return fail(code, std::move(text), {.op = place});
}

/// Gives a value a shape that its declaration allows.
Result<void> settle(Value& value, const Shape& shape, const std::string& place) {
  const auto agree = [](std::int64_t declared, std::int64_t found) { return declared < 0 || declared == found; };
  if (value.shape && !std::ranges::equal(*value.shape, shape, agree))
    return wrong(ErrorCode::kMismatch,
                 fmt::format("\"{}\" is declared {}, not {}", value.name, to_string(*value.shape), to_string(shape)),
                 place);
  value.shape = shape;
  return {};
}

class Resolver {
 public:
  explicit Resolver(Graph& graph) : graph_(graph) {}

  Result<void> block(Block& block) {
    if (!done_.insert(&block).second) return {};
    known_.clear();
    for (const auto& value : block.values) known_.push_back(value.data);
    std::vector<Operator> kept;
    for (std::size_t i = 0; i < block.operators.size(); ++i) {
      const auto place = place_of(graph_, block, i);
      MACAW_CHECK(shape_outputs(block, block.operators[i], place));
      MACAW_ASSIGN(const bool stays, fold(block, block.operators[i], place));
      if (stays) kept.push_back(block.operators[i]);
    }
    block.operators = std::move(kept);
    return {};
  }

 private:
  [[nodiscard]] std::vector<Operand> operands(const Block& block, const Operator& op, const std::vector<ValueId>& ids) {
    std::vector<Operand> all;
    for (const auto id : ids) {
      const auto& value = block.values[id];
      all.push_back(make_operand(op, value.dtype, value.is_static() ? &*value.shape : nullptr, known_[id].get()));
    }
    return all;
  }

  Result<void> shape_outputs(Block& block, const Operator& op, const std::string& place) {
    if (op.op == Op::kCOND_IF || op.op == Op::kWHILE_LOOP) return shape_bodies(block, op, place);
    if (std::ranges::all_of(op.outputs, [&](ValueId id) { return block.values[id].is_static(); })) return {};
    const auto* definition = find_definition(op.op);
    if (!definition) return wrong(ErrorCode::kUnsupported, fmt::format("no {}", to_string(op.op)), place);
    const auto inputs = operands(block, op, op.inputs), outputs = operands(block, op, op.outputs);
    const View view{op, inputs, outputs, kLevelNone};
    MACAW_CHECK(check(*definition, view, place));
    MACAW_ASSIGN(const auto shapes, infer_shapes(*definition, view));
    if (!shapes) return wrong(ErrorCode::kUnsupported, "cannot infer the output shape before the run", place);
    for (std::size_t k = 0; k < op.outputs.size(); ++k)
      MACAW_CHECK(settle(block.values[op.outputs[k]], (*shapes)[k], place));
    return {};
  }

  /// Bodies have the shapes of the operator's inputs, and it has those of their outputs.
  Result<void> shape_bodies(Block& block, const Operator& op, const std::string& place) {
    const auto first = static_cast<std::size_t>(op.op == Op::kCOND_IF);
    for (const auto attribute : {Attr::k_then_graph, Attr::k_else_graph, Attr::k_cond_graph, Attr::k_body_graph}) {
      if (!op.find(attribute)) continue;
      auto* body = const_cast<Block*>(graph_.find_block(op.get_string(attribute)));
      if (!body || body->inputs.size() + first != op.inputs.size() ||
          (attribute != Attr::k_cond_graph && body->outputs.size() != op.outputs.size()))
        return wrong(ErrorCode::kInvalidGraph, fmt::format("{} does not fit", to_string(attribute)), place);
      for (std::size_t i = 0; i < body->inputs.size(); ++i) {
        const auto& given = block.values[op.inputs[first + i]];
        if (given.is_static()) MACAW_CHECK(settle(body->values[body->inputs[i]], *given.shape, place));
      }
      auto outer = std::move(known_);
      MACAW_CHECK(this->block(*body));
      known_ = std::move(outer);
      if (attribute == Attr::k_cond_graph) continue;
      for (std::size_t k = 0; k < op.outputs.size(); ++k) {
        const auto& found = body->values[body->outputs[k]];
        if (found.is_static()) MACAW_CHECK(settle(block.values[op.outputs[k]], *found.shape, place));
      }
    }
    return {};
  }

  /// Replaces an operator on shapes by a constant. Returns false if the operator is an assertion that holds, which is
  /// no longer needed.
  Result<bool> fold(Block& block, Operator& op, const std::string& place) {
    const auto* definition = find_definition(op.op);
    const bool asserts = op.op == Op::kASSERT_EQUAL_SHAPE;
    if (!definition || op.op == Op::kCONST_SHAPE || (!asserts && !definition->shape_value)) return true;
    const auto inputs = operands(block, op, op.inputs), outputs = operands(block, op, op.outputs);
    const View view{op, inputs, outputs, kLevelNone};
    MACAW_CHECK(check(*definition, view, place));
    if (asserts) return !std::ranges::all_of(inputs, [](const Operand& input) { return input.value != nullptr; });
    const auto extents = definition->shape_value(view);
    if (!extents) return wrong(ErrorCode::kUnsupported, "cannot infer the shape before the run", place);
    Tensor tensor(DType::kSHAPE, {static_cast<std::int64_t>(extents->size())});
    std::ranges::copy(*extents, tensor.data<std::int64_t>().begin());
    auto& value = block.values[op.outputs[0]];
    value.data = known_[op.outputs[0]] = std::make_shared<const Tensor>(std::move(tensor));
    op = Operator{
        .op = Op::kCONST_SHAPE, .inputs = {}, .outputs = op.outputs, .attributes = {}, .location = op.location};
    return true;
  }

  Result<void> check(const Definition& definition, const View& view, const std::string& place) const {
    std::vector<BrokenRule> findings;
    if (check_operator(definition, view, graph_.version, place, findings)) return {};
    return wrong(ErrorCode::kInvalidGraph, findings.empty() ? "is in ERROR" : findings.back().to_string(), place);
  }

  Graph& graph_;
  std::set<const Block*> done_;
  std::vector<std::shared_ptr<const Tensor>> known_;  ///< contents of the current block's values
};

}  // namespace

Result<Graph> resolve_shapes(Graph graph, const std::map<std::string, Shape>& inputs) {
  for (const auto& finding : check_structure(graph)) return fail(ErrorCode::kInvalidGraph, finding.to_string());
  auto& main = graph.blocks.front();
  for (const auto id : main.inputs) {
    auto& value = main.values[id];
    const auto given = inputs.find(value.name);
    if (given != inputs.end()) {
      MACAW_CHECK(settle(value, given->second, "input"));
    } else if (!value.is_static()) {
      return fail(ErrorCode::kMismatch, fmt::format("no shape is given for input \"{}\"", value.name));
    }
  }
  for (const auto& [name, shape] : inputs)
    if (std::ranges::none_of(main.inputs, [&](auto id) { return main.values[id].name == name; })) {
      constexpr std::size_t kMostNames = 8;
      std::vector<std::string> known;
      for (const auto id : std::span(main.inputs).first(std::min(main.inputs.size(), kMostNames)))
        known.push_back(fmt::format("\"{}\"", main.values[id].name));
      return fail(ErrorCode::kMismatch, fmt::format("the graph has no input \"{}\"; its inputs are: {}{}", name,
                                                    known.empty() ? "none" : fmt::format("{}", fmt::join(known, ", ")),
                                                    main.inputs.size() > kMostNames ? ", ..." : ""));
    }
  MACAW_CHECK(Resolver(graph).block(main));
  // The rules that need all shapes.
  Options options;
  options.level = kLevelNone;
  MACAW_ASSIGN(const auto verdict, validate(graph, options));
  if (verdict.status() == Status::kError) return fail(ErrorCode::kInvalidGraph, verdict.first()->to_string());
  return graph;
}

}  // namespace macaw::tosa
