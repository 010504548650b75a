#include <macaw/npu/input_fit.hpp>

#include <macaw/shape_fit.hpp>

#include <algorithm>

#include <fmt/format.h>

namespace macaw::npu {
namespace {

/// The input that a tensor is for; null if there is none.
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

/// An array of numpy has no type of its own for these.
bool carries(DType given, DType expected) {
  const bool has_no_numpy_type =
      is_float(expected) && expected != DType::kFP64 && expected != DType::kFP32 && expected != DType::kFP16;
  return has_no_numpy_type && (given == DType::kUINT8 || given == DType::kUINT16);
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
    if (!allowed.reshape && !same_arrangement(tensor.shape(), binding->shape))
      return fail(ErrorCode::kMismatch,
                  fmt::format("input '{}' has shape {}, expected {}: as many elements in another arrangement; "
                              "'reshape' takes them in the order that they have",
                              binding->name, macaw::to_string(tensor.shape()), macaw::to_string(binding->shape)));
    if (!binding->dtype) {
      if (const auto assumed = signed_type(binding->element_size); tensor.dtype() != assumed)
        notes.push_back(fmt::format("input '{}' is {}, taken as {} bytes an element: the file states no type",
                                    binding->name, macaw::to_string(tensor.dtype()), binding->element_size));
    } else if (!allowed.reinterpret && tensor.dtype() != *binding->dtype && !carries(tensor.dtype(), *binding->dtype)) {
      return fail(ErrorCode::kMismatch,
                  fmt::format("input '{}' is {}, expected {}; 'reinterpret' takes its bytes as they are", binding->name,
                              macaw::to_string(tensor.dtype()), macaw::to_string(*binding->dtype)));
    }
  }
  return notes;
}

}  // namespace macaw::npu
