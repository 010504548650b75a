#pragma once
#include <span>

#include <macaw/tensor.hpp>

namespace macaw::tosa {

/// Whether load_floats() and store_floats() take the type: floating point, scales and MXINT8.
[[nodiscard]] inline bool holds_floats(DType dtype) {
  return dtype == DType::kMXINT8 || (is_float(dtype) && !is_block_scale(dtype));
}

/// Type that a precise run stores elements of a type in: double for every floating-point type, which
/// then are never rounded (as in Arm's reference model), and double for both values and scales.
[[nodiscard]] inline DType precise_type(DType dtype) {
  return holds_floats(dtype) ? DType::kFP64 : is_block_scale(dtype) ? DType::kBS32_FP64_FP64 : dtype;
}

/// The tensor in its precise_type(), values unchanged.
[[nodiscard]] Tensor to_precise(const Tensor& tensor);

/// Elements of a type that holds_floats(), in the bytes of a tensor, as T, float or double: exact but for FP64 as
/// float, which is rounded.
template <class T>
void decode_floats(DType dtype, const std::byte* bytes, std::span<T> out);

/// The opposite: values are rounded to nearest even (those out of range as in float_format.hpp). Every NaN is stored as
/// the type's positive quiet NaN.
template <class T>
void encode_floats(std::span<const T> values, DType dtype, std::byte* bytes);

/// Elements of a tensor whose type holds_floats(), as decode_floats() gives them; of a block-scaled tensor values times
/// scales (tensor_read<in_t, out_t>; pseudocode/library/tensor_read.tosac). As many as fit `out`, from `first` on.
template <class T>
void load_floats(const Tensor& tensor, std::int64_t first, std::span<T> out);
template <class T>
void load_floats(const Tensor& tensor, std::span<T> out) {
  load_floats(tensor, 0, out);
}

/// Stores values in a tensor of as many elements whose type holds_floats(), as encode_floats() does.
template <class T>
void store_floats(std::span<const T> values, Tensor& tensor);

extern template void decode_floats<float>(DType, const std::byte*, std::span<float>);
extern template void decode_floats<double>(DType, const std::byte*, std::span<double>);
extern template void encode_floats<float>(std::span<const float>, DType, std::byte*);
extern template void encode_floats<double>(std::span<const double>, DType, std::byte*);
extern template void load_floats<float>(const Tensor&, std::int64_t, std::span<float>);
extern template void load_floats<double>(const Tensor&, std::int64_t, std::span<double>);
extern template void store_floats<float>(std::span<const float>, Tensor&);
extern template void store_floats<double>(std::span<const double>, Tensor&);

}  // namespace macaw::tosa
