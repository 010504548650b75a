#include <fmt/format.h>

#include "reference/tflite/call.hpp"

// tensorflow/tflite-micro @90b983c2b tensorflow/lite/micro/kernels/{if.cc,while.cc}.
namespace macaw::tflite::control_flow {
namespace {

/// The value of a condition, which is one bool.
Result<bool> condition_of(const Tensor& tensor) {
  MACAW_CHECK(expect(tensor, DType::kBOOL, "the condition"));
  if (tensor.size() != 1) return invalid(fmt::format("a condition of {} values", tensor.size()));
  return tensor.bytes()[0] != std::byte{0};
}

/// The inputs from `first` on.
Result<std::vector<Tensor>> copies_of(const Call& call, std::size_t first) {
  std::vector<Tensor> tensors;
  for (std::size_t i = first; i < call.inputs.size(); ++i) {
    MACAW_ASSIGN(const Tensor* tensor, call.input(i));
    tensors.push_back(*tensor);
  }
  return tensors;
}

/// Runs a subgraph; kUnsupported where there are none.
Result<std::vector<Tensor>> run_subgraph(Call& call, std::int32_t index, std::vector<Tensor> inputs) {
  if (!call.run_subgraph) return unsupported("an operator that runs subgraphs cannot be left to the CPU");
  return call.run_subgraph(index, std::move(inputs));
}

/// Makes tensors the operator's outputs; their number, types and shapes must be those.
Result<void> set_outputs(Call& call, std::vector<Tensor> tensors) {
  if (tensors.size() != call.outputs.size())
    return invalid(fmt::format("{} tensors for {} outputs", tensors.size(), call.outputs.size()));
  for (std::size_t i = 0; i < tensors.size(); ++i) {
    MACAW_CHECK(expect(tensors[i], call.output(i).dtype(), fmt::format("output {}", i)));
    MACAW_CHECK(expect(tensors[i], call.output(i).shape(), fmt::format("output {}", i)));
  }
  for (std::size_t i = 0; i < tensors.size(); ++i) call.output(i) = std::move(tensors[i]);
  return {};
}

Result<void> run_if(Call& call) {
  MACAW_ASSIGN(const auto* options, call.options_as<schema::IfOptionsT>());
  MACAW_ASSIGN(const Tensor* condition, call.input(0));
  MACAW_ASSIGN(const bool is_true, condition_of(*condition));
  MACAW_ASSIGN(auto inputs, copies_of(call, 1));
  MACAW_ASSIGN(auto outputs, run_subgraph(call, is_true ? options->then_subgraph_index : options->else_subgraph_index,
                                          std::move(inputs)));
  return set_outputs(call, std::move(outputs));
}

Result<void> run_while(Call& call) {
  MACAW_ASSIGN(const auto* options, call.options_as<schema::WhileOptionsT>());
  MACAW_ASSIGN(auto values, copies_of(call, 0));
  for (;;) {
    // A loop that does nothing ends as well.
    MACAW_CHECK(call.account(kWorkPerOperator));
    MACAW_ASSIGN(const auto condition, run_subgraph(call, options->cond_subgraph_index, values));
    if (condition.size() != 1) return invalid("the condition has not exactly one output");
    MACAW_ASSIGN(const bool is_true, condition_of(condition[0]));
    if (!is_true) return set_outputs(call, std::move(values));
    MACAW_ASSIGN(values, run_subgraph(call, options->body_subgraph_index, std::move(values)));
  }
}

constexpr Definition kDefinitions[] = {
    {"IF", 1, -1, 0, -1, run_if},
    {"WHILE", 1, -1, 1, -1, run_while},
};

}  // namespace

extern constexpr Operators kOperators = kDefinitions;

}  // namespace macaw::tflite::control_flow
