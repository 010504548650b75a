#pragma once
#include <span>

#include <macaw/tensor.hpp>

namespace macaw::tosa {

/// Type that a precise run stores elements of a type in: double for every floating-point type that operators compute
/// with, which then never round to it (as in Arm's reference model).
[[nodiscard]] constexpr DType precise_type(DType dtype) {
  const bool computed = dtype == DType::kFP32 || dtype == DType::kFP16 || dtype == DType::kBF16 ||
                        dtype == DType::kFP8E4M3 || dtype == DType::kFP8E5M2;
  return computed ? DType::kFP64 : dtype;
}

/// The tensor in its precise_type(), values unchanged.
[[nodiscard]] Tensor to_precise(const Tensor& tensor);

/// Elements of a floating-point tensor (any type of dtype.def but FP8UE8M0) as T, float or double: exact but for FP64
/// as float, which is rounded. `out` has the tensor's size.
template <class T>
void load_floats(const Tensor& tensor, std::span<T> out);

/// Stores values in a floating-point tensor of as many elements, rounded to nearest even (float_format.hpp says what
/// becomes of those out of range). Every NaN is stored as the type's positive quiet NaN.
template <class T>
void store_floats(std::span<const T> values, Tensor& tensor);

extern template void load_floats<float>(const Tensor&, std::span<float>);
extern template void load_floats<double>(const Tensor&, std::span<double>);
extern template void store_floats<float>(std::span<const float>, Tensor&);
extern template void store_floats<double>(std::span<const double>, Tensor&);

}  // namespace macaw::tosa
