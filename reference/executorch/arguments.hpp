#pragma once
#include <algorithm>
#include <cmath>
#include <limits>

#include "reference/tflite/call.hpp"

// Arguments of ExecuTorch's kernels: each is an input, in the order of the kernel's schema; numbers are tensors of one
// element, lists of numbers tensors of rank 1, and what is None is absent (sim/artifact/executorch_program.cpp).

namespace macaw::executorch {

using namespace tflite;  // its calls, and helpers of its operators

[[nodiscard]] Result<std::int64_t> integer_argument(const Call& call, std::size_t index);
[[nodiscard]] Result<std::int64_t> integer_argument(const Call& call, std::size_t index, std::int64_t if_none);
/// Accepts any numeric type.
[[nodiscard]] Result<double> real_argument(const Call& call, std::size_t index);
[[nodiscard]] Result<std::vector<std::int64_t>> list_argument(const Call& call, std::size_t index);
/// Axes that an operator works on, in ascending order, each once: of a list, or of one number; all of them where the
/// argument is None or an empty list.
[[nodiscard]] Result<std::vector<std::size_t>> axes_argument(const Call& call, std::size_t index, std::size_t rank);
/// The bytes of a text.
[[nodiscard]] Result<std::string> text_argument(const Call& call, std::size_t index);

/// A number as an element of type T: a real number is cut off, and clamped to what T holds.
template <class T>
[[nodiscard]] Result<T> number_argument(const Call& call, std::size_t index) {
  MACAW_ASSIGN(const Tensor* argument, call.input(index));
  if (argument->dtype() != DType::kFP64) {
    MACAW_ASSIGN(const auto whole, integer_argument(call, index));
    return static_cast<T>(whole);
  }
  MACAW_ASSIGN(const auto real, real_argument(call, index));
  if constexpr (std::is_same_v<T, float>) return static_cast<float>(real);
  else if constexpr (std::is_same_v<T, bool>) return real != 0;
  else
    return std::isnan(real) ? T{}
                            : static_cast<T>(std::clamp(
                                  real, static_cast<double>(std::numeric_limits<T>::lowest()),
                                  // No double is the largest integer of 64 bits.
                                  sizeof(T) == 8 ? 9223372036854774784.0 : double(std::numeric_limits<T>::max())));
}

/// Functions of the C library of a float, rounded from double precision: the same on every machine, and within one unit
/// in the last place of what a library gives in single precision.
[[nodiscard]] inline float exponential(float value) { return static_cast<float>(std::exp(double{value})); }
[[nodiscard]] inline float hyperbolic_tangent(float value) { return static_cast<float>(std::tanh(double{value})); }

}  // namespace macaw::executorch
