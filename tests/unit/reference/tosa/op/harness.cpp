#include "tests/unit/reference/tosa/op/harness.hpp"

#include "reference/tosa/arith/float_tensor.hpp"

namespace macaw::tosa {
namespace {

const TypeRow* find_row(const Definition& definition, std::span<const Operand> inputs, const Operand& output) {
  for (const auto& row : definition.rows) {
    bool fits = true;
    std::size_t next = 0;
    for (const auto& argument : definition.arguments) {
      if (argument.category == Category::kAttribute) continue;
      const auto& operand = argument.category == Category::kInput ? inputs[next++] : output;
      for (std::size_t i = 0; i < definition.type_variables.size(); ++i)
        fits &= definition.type_variables[i] != argument.type || row.types[i] == operand.dtype;
    }
    if (fits) return &row;
  }
  return nullptr;
}

}  // namespace

Outcome run_operator(Op op, std::vector<Tensor> inputs, const Out& out, const Attributes& attributes, Mode mode,
                     Engine engine) {
  const auto* definition = find_definition(op);
  REQUIRE(definition != nullptr);
  Operator node;
  node.op = op;
  for (const auto& [name, value] : attributes) node.set(name, value);
  std::vector<Operand> operands;
  for (const auto& input : inputs) operands.push_back({input.dtype(), &input.shape(), &input});
  const Operand output{out.dtype, &out.shape, nullptr};
  const View view{node, operands, {&output, 1}, kLevel8K};
  const auto* row = find_row(*definition, operands, output);
  REQUIRE(row != nullptr);

  Outcome outcome;
  for (const auto& check : definition->checks)
    if (check.broken && check.broken(view)) outcome.broken.emplace_back(check.text);
  if (definition->shapes && outcome.broken.empty()) {
    const auto shapes = definition->shapes(view);
    REQUIRE(shapes);
    CHECK(shapes->front() == out.shape);
  }
  if (!outcome.broken.empty()) return outcome;

  const bool precise = mode != Mode::kNormal;
  outcome.output = Tensor(precise ? precise_type(out.dtype) : out.dtype, out.shape);
  if (precise)
    for (auto& input : inputs) input = to_precise(input);
  std::vector<const Tensor*> in;
  for (const auto& input : inputs) in.push_back(&input);
  Tensor* to = &outcome.output;
  const RunBlock no_blocks;
  Variables variables;
  Call call{.op = node,
            .inputs = in,
            .outputs = {&to, 1},
            .precise = precise,
            .bounds = mode == Mode::kBounds,
            .run_block = no_blocks,
            .variables = variables,
            .findings = outcome.findings,
            .kernels = engine.kernels,
            .workers = engine.workers};
  REQUIRE(row->kernel(call));
  return outcome;
}

}  // namespace macaw::tosa
