#include "reference/tflite/op/control_flow.hpp"

#include <fmt/format.h>

namespace macaw::tflite {

Result<bool> condition_of(const Tensor& tensor) {
  MACAW_CHECK(expect(tensor, DType::kBOOL, "the condition"));
  if (tensor.size() != 1) return invalid(fmt::format("a condition of {} values", tensor.size()));
  return tensor.bytes()[0] != std::byte{0};
}

Result<std::vector<Tensor>> copies_of(const Call& call, std::size_t first) {
  std::vector<Tensor> tensors;
  for (std::size_t i = first; i < call.inputs.size(); ++i) {
    MACAW_ASSIGN(const Tensor* tensor, call.input(i));
    tensors.push_back(*tensor);
  }
  return tensors;
}

Result<std::vector<Tensor>> run_subgraph(Call& call, std::int32_t index, std::vector<Tensor> inputs) {
  if (!call.run_subgraph) return unsupported("an operator that runs subgraphs cannot be left to the CPU");
  return call.run_subgraph(index, std::move(inputs));
}

Result<void> give(Call& call, std::vector<Tensor> tensors) {
  if (tensors.size() != call.outputs.size())
    return invalid(fmt::format("{} tensors for {} outputs", tensors.size(), call.outputs.size()));
  for (std::size_t i = 0; i < tensors.size(); ++i) {
    MACAW_CHECK(expect(tensors[i], call.output(i).dtype(), fmt::format("output {}", i)));
    MACAW_CHECK(expect(tensors[i], call.output(i).shape(), fmt::format("output {}", i)));
  }
  for (std::size_t i = 0; i < tensors.size(); ++i) call.output(i) = std::move(tensors[i]);
  return {};
}

}  // namespace macaw::tflite
