#pragma once
#include <macaw/tensor.hpp>

#include <cstdint>

namespace macaw::io {

/// Calls `f` with the elements of a tensor as C++ numbers and returns its result; false for types that C++ does not
/// have.
template <class AnyTensor, class F>
bool with_elements(AnyTensor& tensor, F&& f) {
  switch (tensor.dtype()) {
    case DType::kBOOL:
    case DType::kUINT8: return f(tensor.template data<std::uint8_t>());
    case DType::kINT4:
    case DType::kINT8: return f(tensor.template data<std::int8_t>());
    case DType::kINT16: return f(tensor.template data<std::int16_t>());
    case DType::kUINT16: return f(tensor.template data<std::uint16_t>());
    case DType::kINT32: return f(tensor.template data<std::int32_t>());
    case DType::kUINT32: return f(tensor.template data<std::uint32_t>());
    case DType::kINT48:
    case DType::kINT64:
    case DType::kSHAPE: return f(tensor.template data<std::int64_t>());
    case DType::kFP32: return f(tensor.template data<float>());
    case DType::kFP64: return f(tensor.template data<double>());
    default: return false;
  }
}

}  // namespace macaw::io
