#include "reference/tosa/op/declare.hpp"

// COND_IF: runs one of two graphs on the inputs. Their types and shapes are compared with the operator's when the graph
// is validated (reference/tosa/structure.cpp).

namespace macaw::tosa::COND_IF {
namespace {

Result<void> cond_if(Call& call) {
  const bool taken = call.in_data<bool>(0)[0];
  const auto& body = call.op.get_string(taken ? Attr::k_then_graph : Attr::k_else_graph);
  MACAW_ASSIGN(auto results, call.run_block(body, call.inputs.subspan(1)));
  return set_outputs(call, std::move(results));
}

constexpr Argument kArguments[] = {
    input("condition").type("bool_t").shape("shape"),
    input("input_list").list(),
    attribute("then_graph").type("tosa_graph_t"),
    attribute("else_graph").type("tosa_graph_t"),
    output("output_list").list(),
};
using V = ViewOf<kArguments>;

constexpr TypeRow kRows[] = {row({}).in(kExtControlFlow).by(cond_if)};

constexpr Check kChecks[] = {
    error_if("condition", "condition must have one element",
             [](const V& v) { return *element_count(v.shape("condition")) != 1; }),
};

}  // namespace

extern constexpr Definition kDefinition{
    .op = Op::kCOND_IF, .arguments = kArguments, .type_variables = {}, .rows = kRows, .checks = kChecks};

}  // namespace macaw::tosa::COND_IF
