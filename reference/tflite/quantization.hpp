#pragma once
#include <limits>
#include <vector>

#include "reference/tflite/call.hpp"
#include "reference/tflite/fixed_point.hpp"

namespace macaw::tflite {

struct Affine {
  float scale = 1;
  std::int32_t zero_point = 0;
};

/// The one scale and zero point of an operand: the scale positive and finite, the zero point a value of its type.
[[nodiscard]] Result<Affine> affine(const Operand& operand);

/// Kernels that move values without scaling them need input and output of one quantisation, if they have any.
[[nodiscard]] Result<void> expect_same_quantization(const Operand& a, const Operand& b);

struct Range {
  std::int32_t min, max;
};

/// Values of an integer type up to 32 bits; kUnsupported for other types.
[[nodiscard]] Result<Range> range_of(DType dtype);

/// Range of a quantised output that a fused activation leaves. kUnsupported for those that are not a clamp.
[[nodiscard]] Result<Range> activation_range(schema::ActivationFunctionType activation, DType dtype, Affine output);

struct FloatRange {
  float min, max;
};
/// Range of a float32 output that a fused activation leaves.
[[nodiscard]] Result<FloatRange> activation_range(schema::ActivationFunctionType activation);

/// Multiplier of a sum of products for each of `channels` outputs. A filter with one scale serves all; one with more
/// has them along `axis`. Zero points of the filter must be zero unless it is uint8.
[[nodiscard]] Result<std::vector<FixedMultiplier>> channel_multipliers(Affine input, const Operand& filter,
                                                                       Affine output, std::int64_t channels,
                                                                       std::size_t axis);

/// Values of T, those outside its range clamped.
template <class T>
[[nodiscard]] T clamped(std::int64_t value) {
  return static_cast<T>(std::clamp<std::int64_t>(value, std::numeric_limits<T>::min(), std::numeric_limits<T>::max()));
}

[[nodiscard]] inline bool is_quantized(DType dtype) {
  return dtype == DType::kINT8 || dtype == DType::kUINT8 || dtype == DType::kINT16;
}

/// Calls f with a value of the C++ type of a quantised tensor: int8, uint8 or int16.
template <class F>
[[nodiscard]] Result<void> with_quantized(DType dtype, F&& f) {
  switch (dtype) {
    case DType::kINT8: return f(std::int8_t{});
    case DType::kUINT8: return f(std::uint8_t{});
    case DType::kINT16: return f(std::int16_t{});
    default: return unsupported_type(dtype);
  }
}

/// As with_quantized(), and for int32.
template <class F>
[[nodiscard]] Result<void> with_integer(DType dtype, F&& f) {
  if (dtype == DType::kINT32) return f(std::int32_t{});
  return with_quantized(dtype, f);
}

/// Calls f with a value of the C++ type of integers of any width, booleans and float32.
template <class F>
[[nodiscard]] Result<void> with_number(DType dtype, F&& f) {
  switch (dtype) {
    case DType::kFP32: return f(float{});
    case DType::kINT64: return f(std::int64_t{});
    case DType::kUINT16: return f(std::uint16_t{});
    case DType::kUINT32: return f(std::uint32_t{});
    case DType::kBOOL: return f(bool{});
    default: return with_integer(dtype, f);
  }
}

}  // namespace macaw::tflite
