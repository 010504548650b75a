#include "workflow/sequence/engine.hpp"

#include <fmt/format.h>

#include <macaw/npy.hpp>
#include <macaw/quantised_values.hpp>

namespace macaw::sequence {

Result<Tensor> variable_contents(const Tensor& given, const InputPort& variable) {
  auto fitted = fit_input(to_npy(given), variable, {}, "");
  if (fitted) return fitted;
  return fail(ErrorCode::kMismatch, fmt::format("variable '{}' is {} {}, not {} {}", variable.name,
                                                to_string(variable.dtype), to_string(variable.shape.value_or(Shape())),
                                                to_string(given.dtype()), to_string(given.shape())));
}

Result<Tensor> zero_tensor(const Port& port) {
  if (!port.tensor.shape)
    return fail(ErrorCode::kUnsupported,
                fmt::format("'{}' has no shape that is known before the run", port.tensor.name));
  MACAW_ASSIGN(auto zeros, Tensor::create(port.tensor.dtype, *port.tensor.shape));
  if (!port.quantization || port.quantization->scale.empty() || is_float(port.tensor.dtype)) return zeros;
  MACAW_ASSIGN(const auto real, Tensor::create(DType::kFP32, *port.tensor.shape));
  auto stored = quantised(real, *port.quantization, port.tensor.dtype);
  // Wider types have no zero point.
  if (!stored && stored.error().code == ErrorCode::kUnsupported) return zeros;
  return stored;
}

}  // namespace macaw::sequence
