#include "reference/tflite/host_call.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "base/bools.hpp"

namespace macaw::tflite {
namespace {

/// Gives the inputs of an elementwise operator the output's shape. A tensor that Vela reshapes as well has one of its
/// shapes only, in every operator that uses it; of inputs that all have as many elements as the output, or one, that
/// number alone matters.
void take_output_shape(std::vector<std::optional<Tensor>>& inputs, const Tensor& output) {
  const auto fits = [&](const auto& input) { return !input || input->size() == output.size() || input->size() == 1; };
  if (!std::ranges::all_of(inputs, fits)) return;
  for (auto& input : inputs)
    if (input) input->reshape(input->size() == output.size() ? output.shape() : Shape{});
}

}  // namespace

Result<npu::HostResult> call_on_host(const Definition& definition, const npu::HostOperator& op,
                                     std::vector<std::optional<Tensor>>& inputs, std::int64_t max_work) {
  npu::HostResult result;
  Call call{
      .name = op.name, .options = op.options.get(), .inputs = {}, .outputs = {}, .on_host = true, .max_work = max_work};
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    Tensor* tensor = inputs[i] ? &*inputs[i] : nullptr;
    if (tensor) normalise_bools(*tensor);
    call.inputs.push_back({tensor, tensor, op.inputs[i].quantization.get()});
  }
  result.outputs.reserve(op.outputs.size());
  for (const auto& binding : op.outputs) {
    if (!binding.dtype) return unsupported(fmt::format("tensor '{}' has elements without a type", binding.name));
    MACAW_ASSIGN(auto tensor, Tensor::create(*binding.dtype, binding.shape));
    auto& output = result.outputs.emplace_back(std::move(tensor));
    call.outputs.push_back({&output, &output, binding.quantization.get()});
  }
  if (definition.scope == Scope::kElementwise && result.outputs.size() == 1)
    take_output_shape(inputs, result.outputs[0]);
  MACAW_CHECK(execute(definition, call));
  result.changed_inputs = call.changed;
  result.work = call.work;
  return result;
}

}  // namespace macaw::tflite
