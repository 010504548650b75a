#pragma once
#include "reference/tflite/call.hpp"

// Arguments of ExecuTorch's kernels: each is an input, in the order of the kernel's schema; numbers are tensors of one
// element, lists of numbers tensors of rank 1, and what is None is absent (sim/artifact/executorch_program.cpp).

namespace macaw::executorch {

using namespace tflite;  // its calls, and helpers of its operators

[[nodiscard]] Result<std::int64_t> integer_argument(const Call& call, std::size_t index);
[[nodiscard]] Result<std::int64_t> integer_argument(const Call& call, std::size_t index, std::int64_t if_none);
/// Of any type of number.
[[nodiscard]] Result<double> real_argument(const Call& call, std::size_t index);
[[nodiscard]] Result<std::vector<std::int64_t>> list_argument(const Call& call, std::size_t index);

}  // namespace macaw::executorch
