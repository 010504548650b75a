#include "reference/tflite/op/control_flow.hpp"

// tensorflow/tflite-micro @90b983c2b tensorflow/lite/micro/kernels/while.cc.
namespace macaw::tflite::WHILE {
namespace {

Result<void> run_while(Call& call) {
  MACAW_ASSIGN(const auto* options, call.options_as<schema::WhileOptionsT>());
  MACAW_ASSIGN(auto values, copies_of(call, 0));
  for (;;) {
    // A loop that does nothing ends as well.
    MACAW_CHECK(call.account(kWorkOfOperator));
    MACAW_ASSIGN(const auto condition, run_subgraph(call, options->cond_subgraph_index, values));
    if (condition.size() != 1) return invalid("the condition has not exactly one output");
    MACAW_ASSIGN(const bool is_true, condition_of(condition[0]));
    if (!is_true) return give(call, std::move(values));
    MACAW_ASSIGN(values, run_subgraph(call, options->body_subgraph_index, std::move(values)));
  }
}

}  // namespace

extern constexpr Definition kDefinition = {"WHILE", 1, -1, 1, -1, run_while};

}  // namespace macaw::tflite::WHILE
