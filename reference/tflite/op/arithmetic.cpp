#include "reference/tflite/op/arithmetic.hpp"

#include <algorithm>

// tensorflow/tflite-micro @90b983c2b tensorflow/lite/micro/kernels/{add.cc,add_common.cc,sub.cc,sub_common.cc,
// mul_common.cc,squared_difference.cc},
// tensorflow/lite/kernels/internal/reference/{add.h,sub.h,mul.h,integer_ops/add.h,integer_ops/mul.h}.
namespace macaw::tflite {
namespace {

Result<SumScales> fraction_scales(double a, double b, double out) {
  SumScales result;
  MACAW_ASSIGN(result.a, fraction_multiplier(a));
  MACAW_ASSIGN(result.b, fraction_multiplier(b));
  MACAW_ASSIGN(result.out, fraction_multiplier(out));
  return result;
}

}  // namespace

Result<SumScales> add_scales(float a, float b, float out, int left_shift) {
  const double twice_max = 2 * double{std::max(a, b)};
  return fraction_scales(double{a} / twice_max, double{b} / twice_max,
                         twice_max / (double(1 << left_shift) * double{out}));
}

// Unlike those of ADD, the ratios are in single precision.
Result<SumScales> sub_scales(float a, float b, float out, int left_shift) {
  const float twice_max = 2 * std::max(a, b);
  return fraction_scales(double{a / twice_max}, double{b / twice_max},
                         double{twice_max / (static_cast<float>(1 << left_shift) * out)});
}

Result<SumScales> squared_difference_scales(float a, float b, float out, int left_shift) {
  const double twice_max = 2 * double{std::max(a, b)};
  SumScales s;
  MACAW_ASSIGN(s.a, fraction_multiplier(double{a} / twice_max));
  MACAW_ASSIGN(s.b, fraction_multiplier(double{b} / twice_max));
  // The divisor is in single precision.
  const float divisor = static_cast<float>(1 << 2 * left_shift) * out;
  MACAW_ASSIGN(s.out, fixed_multiplier(twice_max * twice_max / double{divisor}));
  return s;
}

}  // namespace macaw::tflite

namespace macaw::tflite::arithmetic {
namespace {

template <class T>
Result<void> quantized_sum(Call& call, schema::ActivationFunctionType activation, int sign, ScalesOf scales_of) {
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

/// a + b, or a - b with `sign` -1: quantised, int32 or float32.
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
  return with_quantized(dtype, [&]<class T>(T) { return quantized_sum<T>(call, activation, sign, scales_of); });
}

Result<void> add(Call& call) {
  MACAW_ASSIGN(const auto* options, call.options_as<schema::AddOptionsT>());
  return add_or_sub(call, options->fused_activation_function, +1, add_scales);
}

Result<void> sub(Call& call) {
  MACAW_ASSIGN(const auto* options, call.options_as<schema::SubOptionsT>());
  return add_or_sub(call, options->fused_activation_function, -1, sub_scales);
}

template <class T>
Result<void> quantized_mul(Call& call, schema::ActivationFunctionType activation) {
  MACAW_ASSIGN(const Affine a, affine(call.inputs[0]));
  MACAW_ASSIGN(const Affine b, affine(call.inputs[1]));
  MACAW_ASSIGN(const Affine to, affine(call.outputs[0]));
  if (sizeof(T) == 2 && (a.zero_point != 0 || b.zero_point != 0 || to.zero_point != 0))
    return unsupported("int16 with a zero point");
  MACAW_ASSIGN(const auto ratio, fixed_multiplier(double{a.scale} * double{b.scale} / double{to.scale}));
  MACAW_ASSIGN(const Range range, activation_range(activation, call.output().dtype(), to));
  return binary<T, T>(call, [&](T x, T y) {
    const std::int64_t scaled = scale((x - a.zero_point) * (y - b.zero_point), ratio);
    return static_cast<T>(std::clamp<std::int64_t>(scaled + to.zero_point, range.min, range.max));
  });
}

Result<void> mul(Call& call) {
  MACAW_ASSIGN(const auto* options, call.options_as<schema::MulOptionsT>());
  const auto activation = options->fused_activation_function;
  MACAW_ASSIGN(const DType dtype, common_type(call));
  MACAW_CHECK(expect(call.output(), dtype, "the output"));
  if (dtype == DType::kFP32) {
    MACAW_ASSIGN(const FloatRange range, activation_range(activation));
    return binary<float, float>(call, [&](float x, float y) { return std::clamp(x * y, range.min, range.max); });
  }
  if (dtype == DType::kINT32) {
    if (activation != schema::ActivationFunctionType::NONE) return unsupported("int32 with a fused activation");
    return binary<std::int32_t, std::int32_t>(call, [](std::int32_t x, std::int32_t y) {
      return static_cast<std::int32_t>(std::int64_t{x} * std::int64_t{y});
    });
  }
  return with_quantized(dtype, [&]<class T>(T) { return quantized_mul<T>(call, activation); });
}

template <class T>
Result<void> quantized_squared_difference(Call& call) {
  constexpr int kLeftShift = sizeof(T) == 2 ? 0 : 7;
  MACAW_ASSIGN(const Affine a, affine(call.inputs[0]));
  MACAW_ASSIGN(const Affine b, affine(call.inputs[1]));
  MACAW_ASSIGN(const Affine to, affine(call.outputs[0]));
  if (sizeof(T) == 2 && (a.zero_point != 0 || b.zero_point != 0 || to.zero_point != 0))
    return unsupported("int16 with a zero point");
  MACAW_ASSIGN(const SumScales s, squared_difference_scales(a.scale, b.scale, to.scale, kLeftShift));
  return binary<T, T>(call, [&](T x, T y) {
    const std::int32_t left = scale((x - a.zero_point) * (1 << kLeftShift), s.a);
    const std::int32_t right = scale((y - b.zero_point) * (1 << kLeftShift), s.b);
    const std::int32_t difference = left - right;
    const auto squared = static_cast<std::int32_t>(std::int64_t{difference} * difference);
    return clamped<T>(std::int64_t{scale(squared, s.out)} + to.zero_point);
  });
}

Result<void> squared_difference(Call& call) {
  MACAW_ASSIGN(const DType dtype, common_type(call));
  MACAW_CHECK(expect(call.output(), dtype, "the output"));
  if (dtype == DType::kFP32) return binary<float, float>(call, [](float x, float y) { return (x - y) * (x - y); });
  if (dtype == DType::kINT32)
    return binary<std::int32_t, std::int32_t>(call, [](std::int32_t x, std::int32_t y) {
      const auto difference = static_cast<std::uint32_t>(x) - static_cast<std::uint32_t>(y);
      return static_cast<std::int32_t>(difference * difference);
    });
  return with_quantized(dtype, [&]<class T>(T) { return quantized_squared_difference<T>(call); });
}

constexpr Definition kDefinitions[] = {
    {"ADD", 2, 2, 1, 1, add, kElementwise},
    {"SUB", 2, 2, 1, 1, sub, kElementwise},
    {"MUL", 2, 2, 1, 1, mul, kElementwise},
    {"SQUARED_DIFFERENCE", 2, 2, 1, 1, squared_difference, kElementwise},
};

}  // namespace

extern constexpr Operators kOperators = kDefinitions;

}  // namespace macaw::tflite::arithmetic
