#pragma once
#include <macaw/quantization.hpp>
#include <macaw/tensor.hpp>

namespace macaw {

/// Dequantises integers to FP32: scale times difference in double precision, rounded once. kInvalidGraph if the number
/// of scales or zero points does not fit the shape; kUnsupported for elements other than integers.
[[nodiscard]] Result<Tensor> dequantised(const Tensor& tensor, const Quantization& quantization);

/// Quantises FP32 values to the nearest integers of `dtype`, halves away from zero, clamped to its range. Errors: those
/// of dequantised(), for types up to 16 bits.
[[nodiscard]] Result<Tensor> quantised(const Tensor& tensor, const Quantization& quantization, DType dtype);

}  // namespace macaw
