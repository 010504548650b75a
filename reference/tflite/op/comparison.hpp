#pragma once
#include "reference/tflite/broadcast.hpp"
#include "reference/tflite/quantization.hpp"

namespace macaw::tflite {

/// Comparison of 8-bit values, which are scaled to one scale first: tensorflow/tflite-micro @90b983c2b
/// tensorflow/lite/kernels/internal/reference/comparisons.h, ComparisonWithScaling.
template <class T, class F>
[[nodiscard]] Result<void> compare_scaled(Call& call, F&& f) {
  constexpr int kLeftShift = 8;
  MACAW_ASSIGN(const Affine a, affine(call.inputs[0]));
  MACAW_ASSIGN(const Affine b, affine(call.inputs[1]));
  MACAW_ASSIGN(const auto by_a, fraction_multiplier(double{a.scale}));
  MACAW_ASSIGN(const auto by_b, fraction_multiplier(double{b.scale}));
  return binary<T, bool>(call, [&](T x, T y) {
    return f(scale((x - a.zero_point) * (1 << kLeftShift), by_a), scale((y - b.zero_point) * (1 << kLeftShift), by_b));
  });
}

/// out = f(a, b) of one type, a bool; `takes_bool` says whether that type may be bool.
template <class F>
[[nodiscard]] Result<void> compare(Call& call, F&& f, bool takes_bool) {
  MACAW_ASSIGN(const DType dtype, common_type(call));
  MACAW_CHECK(expect(call.output(), DType::kBOOL, "the output"));
  switch (dtype) {
    case DType::kFP32: return binary<float, bool>(call, f);
    case DType::kINT16: return binary<std::int16_t, bool>(call, f);
    case DType::kINT32: return binary<std::int32_t, bool>(call, f);
    case DType::kINT64: return binary<std::int64_t, bool>(call, f);
    case DType::kINT8: return compare_scaled<std::int8_t>(call, f);
    case DType::kUINT8: return compare_scaled<std::uint8_t>(call, f);
    case DType::kBOOL:
      if (takes_bool) return binary<bool, bool>(call, f);
      break;
    default: break;
  }
  return unsupported_type(dtype);
}

}  // namespace macaw::tflite
