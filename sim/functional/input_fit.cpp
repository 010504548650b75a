#include <macaw/npu/input_fit.hpp>

#include <algorithm>

#include <fmt/format.h>

namespace macaw::npu {
namespace {

/// Returns the input to which a tensor belongs; null if there is none.
const TensorBinding* binding_of(const Artifact& artifact, const NamedTensor& tensor, std::size_t position) {
  if (tensor.name.empty()) return position < artifact.inputs.size() ? &artifact.inputs[position] : nullptr;
  const auto found = std::ranges::find(artifact.inputs, tensor.name, &TensorBinding::name);
  return found == artifact.inputs.end() ? nullptr : &*found;
}

DType signed_type(unsigned size) {
  switch (size) {
    case 2: return DType::kINT16;
    case 4: return DType::kINT32;
    case 8: return DType::kINT64;
    default: return DType::kINT8;
  }
}

}  // namespace

Result<std::vector<std::string>> check_inputs(const Artifact& artifact, std::span<const NamedTensor> inputs,
                                              InputFit allowed) {
  std::vector<std::string> notes;
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    const auto* binding = binding_of(artifact, inputs[i], i);
    if (binding == nullptr) continue;
    const auto& tensor = inputs[i].tensor;
    const auto count = element_count(binding->shape);
    if (!count || tensor.size() != *count || size_of(tensor.dtype()) != binding->element_size) continue;
    MACAW_CHECK(check_arrangement(binding->name, tensor.shape(), binding->shape, allowed));
    if (!binding->dtype) {
      if (is_float(tensor.dtype()) || tensor.dtype() == DType::kBOOL)
        MACAW_CHECK(check_type(binding->name, tensor.dtype(), signed_type(binding->element_size), allowed));
      if (const auto assumed = signed_type(binding->element_size); tensor.dtype() != assumed)
        notes.push_back(fmt::format("input '{}' is {}, taken as {} bytes an element: the file states no type",
                                    binding->name, macaw::to_string(tensor.dtype()), binding->element_size));
    } else {
      MACAW_CHECK(check_type(binding->name, tensor.dtype(), *binding->dtype, allowed));
    }
  }
  return notes;
}

}  // namespace macaw::npu
