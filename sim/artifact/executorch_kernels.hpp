#pragma once
#include "sim/artifact/executorch_tensors.hpp"

namespace macaw::npu {

/// Converts a kernel call of an ExecuTorch program to an operator of the CPU, named "aten::add" or
/// "aten::add.Scalar_out"; the overload name "out" is omitted.
///
/// Every argument of the kernel's schema that is not an output becomes an operand at the same position
/// (pytorch/executorch kernels/portable/functions.yaml): numbers are tensors of one element (INT64, BOOL, FP64), lists
/// of numbers tensors of rank 1, text its bytes (UINT8), a list of tensors several operands, and None is absent.
/// Tensors have their shape in memory order; operators that are not elementwise accept only tensors with their
/// dimensions in order, except these:
///   dim_order_ops::*  two more operands at the end: the orders of the input and of the output
///   cortex_m::*       activations of rank 4 have their shape in memory, NHWC; for add and mul, all or none
/// quantize_per_tensor and dequantize_per_tensor have their numbers as FP32 and INT32, and no operand for the type.
/// Errors: kInvalidFile, and kUnsupported for calls that have no such form.
[[nodiscard]] Result<HostOperator> kernel_operator(ProgramTensors& tensors, const pte::KernelCall& call,
                                                   std::size_t index);

}  // namespace macaw::npu
