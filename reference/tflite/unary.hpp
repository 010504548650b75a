#pragma once
#include <algorithm>

#include "reference/tflite/quantization.hpp"

namespace macaw::tflite {

/// The type of input 0; an error unless output 0 has its type and shape.
[[nodiscard]] Result<DType> same_type_and_shape(const Call& call);
/// An error unless output 0 has the shape of input 0.
[[nodiscard]] Result<const Tensor*> same_shape(const Call& call);

/// out = f(in) of input 0, of type In, and output 0, of type Out and the same shape, as the caller has checked.
template <class In, class Out, class F>
[[nodiscard]] Result<void> unary(Call& call, F&& f) {
  const auto in = call.inputs[0].value->data<In>();
  std::transform(in.begin(), in.end(), call.output().data_to_fill<Out>().begin(), f);
  return {};
}

}  // namespace macaw::tflite
