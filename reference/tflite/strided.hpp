#pragma once
#include "reference/tflite/call.hpp"

namespace macaw::tflite {

/// Fills an output from elements of an input of the same type: the one at position p comes from `offset` + the sum of
/// p[axis] * strides[axis], which the caller has checked to lie in the input.
void gather_strided(const Tensor& in, std::int64_t offset, const std::vector<std::int64_t>& strides, Tensor& out);

}  // namespace macaw::tflite
