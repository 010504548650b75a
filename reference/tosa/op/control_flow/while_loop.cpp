#include "reference/tosa/op/declare.hpp"

// WHILE_LOOP: runs the body graph on its own results while the condition graph returns true for them.

namespace macaw::tosa::WHILE_LOOP {
namespace {

Result<void> while_loop(Call& call) {
  std::vector<Tensor> state;
  for (const auto* input : call.inputs) state.push_back(*input);
  for (;;) {
    std::vector<const Tensor*> arguments;
    for (const auto& tensor : state) arguments.push_back(&tensor);
    MACAW_ASSIGN(auto condition, call.run_block(call.op.get_string(Attr::k_cond_graph), arguments));
    if (condition.size() != 1 || condition[0].dtype() != kBOOL || condition[0].size() != 1)
      return fail(ErrorCode::kInvalidGraph, "the condition graph must have one output, a single bool");
    if (!condition[0].data<bool>()[0]) break;
    MACAW_ASSIGN(state, call.run_block(call.op.get_string(Attr::k_body_graph), arguments));
  }
  return set_outputs(call, std::move(state));
}

/// The state keeps its shapes: input_list and output_list have equal ones.
Result<std::vector<Shape>> shapes(const View& view) {
  std::vector<Shape> all;
  for (const auto& input : view.inputs) all.push_back(*input.shape);
  return all;
}

constexpr Argument kArguments[] = {
    input("input_list").list(),
    attribute("cond_graph").type("tosa_graph_t"),
    attribute("body_graph").type("tosa_graph_t"),
    output("output_list").list(),
};

constexpr TypeRow kRows[] = {row({}).in(kExtControlFlow).by(while_loop)};

}  // namespace

extern constexpr Definition kDefinition{.op = Op::kWHILE_LOOP,
                                        .arguments = kArguments,
                                        .type_variables = {},
                                        .rows = kRows,
                                        .checks = {},
                                        .shapes = shapes};

}  // namespace macaw::tosa::WHILE_LOOP
