#include "reference/tflite/op/control_flow.hpp"

// tensorflow/tflite-micro @90b983c2b tensorflow/lite/micro/kernels/if.cc.
namespace macaw::tflite::IF {
namespace {

Result<void> run_if(Call& call) {
  MACAW_ASSIGN(const auto* options, call.options_as<schema::IfOptionsT>());
  MACAW_ASSIGN(const Tensor* condition, call.input(0));
  MACAW_ASSIGN(const bool is_true, condition_of(*condition));
  MACAW_ASSIGN(auto inputs, copies_of(call, 1));
  MACAW_ASSIGN(auto outputs, run_subgraph(call, is_true ? options->then_subgraph_index : options->else_subgraph_index,
                                          std::move(inputs)));
  return give(call, std::move(outputs));
}

}  // namespace

extern constexpr Definition kDefinition = {"IF", 1, -1, 0, -1, run_if};

}  // namespace macaw::tflite::IF
