#pragma once
#include "sim/artifact/executorch_tensors.hpp"

namespace macaw::npu {

/// A kernel call of an ExecuTorch program as an operator of the CPU, named "aten::add" or "aten::add.Scalar_out": the
/// overload "out" is left out.
///
/// Every argument of the kernel's schema that is not an output is an operand in its place (pytorch/executorch
/// kernels/portable/functions.yaml): numbers are tensors of one element (INT64, BOOL, FP64), lists of numbers tensors
/// of rank 1, text its bytes (UINT8), a list of tensors as many operands, and None is absent. Tensors have their shape
/// in the order of memory; operators that are not elementwise take only tensors whose dimensions lie in their order,
/// apart from these:
///   dim_order_ops::*  two more operands at the end: the orders of the input and of the output
///   cortex_m::*       activations of rank 4 have the shape NHWC in which they lie; of add and mul, all or none
/// quantize_per_tensor and dequantize_per_tensor have their numbers as FP32 and INT32, and none for the type.
/// Errors: kInvalidFile, and kUnsupported for what has no such form.
[[nodiscard]] Result<HostOperator> kernel_operator(ProgramTensors& tensors, const pte::KernelCall& call,
                                                   std::size_t index);

}  // namespace macaw::npu
