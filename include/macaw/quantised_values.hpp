#pragma once
#include <macaw/quantization.hpp>
#include <macaw/tensor.hpp>

namespace macaw {

/// The values that integers stand for, as FP32: scale times difference in double precision, rounded once. kInvalidGraph
/// if the number of scales or zero points does not fit the shape; kUnsupported for elements other than integers.
[[nodiscard]] Result<Tensor> dequantised(const Tensor& tensor, const Quantization& quantization);

/// The integer of `dtype` nearest to each value of an FP32 tensor, halves away from zero, those outside its range
/// clamped. Errors as of dequantised(), of types up to 16 bits.
[[nodiscard]] Result<Tensor> quantised(const Tensor& tensor, const Quantization& quantization, DType dtype);

}  // namespace macaw
