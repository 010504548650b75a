#include "reference/op/def.hpp"

// COND_IF: runs one of two graphs on the inputs. Their types and shapes are compared with the operator's when the graph
// is validated (reference/structure.cpp).

namespace macaw::tosa {
namespace {

Result<void> cond_if(Call& call) {
  const bool taken = call.in_data<bool>(0)[0];
  const auto& body = call.op.get_string(taken ? Attr::k_then_graph : Attr::k_else_graph);
  MACAW_ASSIGN(auto results, call.run_block(body, call.inputs.subspan(1)));
  return set_outputs(call, std::move(results));
}

constexpr Argument kArguments[] = {
    {Category::kInput, "condition", "bool_t", "shape"},
    {Category::kInput, "input_list", "", "", 0, Argument::kMaxRank, true},
    {Category::kAttribute, "then_graph", "tosa_graph_t"},
    {Category::kAttribute, "else_graph", "tosa_graph_t"},
    {Category::kOutput, "output_list", "", "", 0, Argument::kMaxRank, true},
};

constexpr TypeRow kRows[] = {{{}, all_of(Profile::kExtControlFlow), 0, cond_if}};

constexpr Check kChecks[] = {
    {Rule::kErrorIf, "condition", "condition must have one element",
     [](const View& v) { return *element_count(v.in_shape(0)) != 1; }},
};

}  // namespace

extern constexpr Definition kCOND_IF{
    .op = Op::kCOND_IF, .arguments = kArguments, .type_variables = {}, .rows = kRows, .checks = kChecks};

}  // namespace macaw::tosa
