#include "reference/tflite/op/add_sub.hpp"

#include <algorithm>

namespace macaw::tflite {
namespace {

template <class T>
Result<void> quantized(Call& call, schema::ActivationFunctionType activation, int sign, ScalesOf scales_of) {
  MACAW_ASSIGN(const Affine a, affine(call.inputs[0]));
  MACAW_ASSIGN(const Affine b, affine(call.inputs[1]));
  MACAW_ASSIGN(const Affine to, affine(call.outputs[0]));
  constexpr int kLeftShift = sum_left_shift(sizeof(T) == 2 ? DType::kINT16 : DType::kINT8);
  MACAW_ASSIGN(const SumScales s, scales_of(a.scale, b.scale, to.scale, kLeftShift));
  MACAW_ASSIGN(const Range range, activation_range(activation, call.output().dtype(), to));
  return binary<T, T>(call, [&](T x, T y) {
    const std::int32_t left = scale((x - a.zero_point) * (1 << kLeftShift), s.a);
    const std::int32_t right = scale((y - b.zero_point) * (1 << kLeftShift), s.b);
    const std::int64_t result = std::int64_t{scale(left + sign * right, s.out)} + to.zero_point;
    return static_cast<T>(std::clamp<std::int64_t>(result, range.min, range.max));
  });
}

}  // namespace

Result<SumScales> sum_scales(double a, double b, double out) {
  SumScales result;
  MACAW_ASSIGN(result.a, fraction_multiplier(a));
  MACAW_ASSIGN(result.b, fraction_multiplier(b));
  MACAW_ASSIGN(result.out, fraction_multiplier(out));
  return result;
}

Result<void> add_or_sub(Call& call, schema::ActivationFunctionType activation, int sign, ScalesOf scales_of) {
  MACAW_ASSIGN(const DType dtype, common_type(call));
  MACAW_CHECK(expect(call.output(), dtype, "the output"));
  if (dtype == DType::kFP32) {
    MACAW_ASSIGN(const FloatRange range, activation_range(activation));
    return binary<float, float>(
        call, [&](float x, float y) { return std::clamp(sign > 0 ? x + y : x - y, range.min, range.max); });
  }
  if (dtype == DType::kINT32) {
    if (activation != schema::ActivationFunctionType::NONE) return unsupported("int32 with a fused activation");
    return binary<std::int32_t, std::int32_t>(call, [&](std::int32_t x, std::int32_t y) {
      return static_cast<std::int32_t>(std::int64_t{x} + sign * std::int64_t{y});
    });
  }
  return with_quantized(dtype, [&]<class T>(T) { return quantized<T>(call, activation, sign, scales_of); });
}

}  // namespace macaw::tflite
