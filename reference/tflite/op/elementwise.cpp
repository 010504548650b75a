#include <cmath>

#include "reference/tflite/function_tables.hpp"

// tensorflow/tflite-micro @90b983c2b tensorflow/lite/micro/kernels/{elementwise.cc,ceil.cc,floor.cc,exp.cc,neg.cc};
// integers of EXP: tensorflow/tensorflow tensorflow/lite/kernels/exp.cc, of LOG: google-ai-edge/LiteRT @1afca8e7b
// tflite/kernels/elementwise.cc, of NEG: google-ai-edge/LiteRT @057d0a95d tflite/kernels/neg.cc, which negates them as
// they are, whatever their scales and zero points.
namespace macaw::tflite::elementwise {
namespace {

/// kFunction of float32, which is the one type that the operator takes.
template <float (*kFunction)(float)>
Result<void> of_floats(Call& call) {
  MACAW_ASSIGN(const DType dtype, same_type_and_shape(call));
  if (dtype != DType::kFP32) return unsupported_type(dtype);
  return unary<float, float>(call, kFunction);
}

float square_root(float x) { return std::sqrt(x); }
float square(float x) { return x * x; }
float round_up(float x) { return std::ceil(x); }
float round_down(float x) { return std::floor(x); }

Result<void> abs(Call& call) {
  MACAW_ASSIGN(const DType dtype, same_type_and_shape(call));
  if (dtype == DType::kFP32) return unary<float, float>(call, [](float x) { return std::abs(x); });
  if (!call.inputs[0].quantization)
    return with_integer(dtype, [&]<class T>(T) {
      return unary<T, T>(call, [](T x) { return static_cast<T>(x < 0 ? -std::int64_t{x} : std::int64_t{x}); });
    });
  MACAW_ASSIGN(const Affine from, affine(call.inputs[0]));
  MACAW_ASSIGN(const Affine to, affine(call.outputs[0]));
  const bool is_scaled = from.scale != to.scale;
  // The ratio is in single precision.
  MACAW_ASSIGN(const auto ratio, fixed_multiplier(double{from.scale / to.scale}));
  return with_quantized(dtype, [&]<class T>(T) {
    return unary<T, T>(call, [&](T x) {
      const std::int32_t value = std::abs(x - from.zero_point);
      return clamped<T>(std::int64_t{is_scaled ? scale(value, ratio) : value} + to.zero_point);
    });
  });
}

template <class T>
Result<void> negate(Call& call) {
  return unary<T, T>(call, [](T x) { return static_cast<T>(0U - static_cast<std::make_unsigned_t<T>>(x)); });
}

Result<void> neg(Call& call) {
  MACAW_ASSIGN(const DType dtype, same_type_and_shape(call));
  switch (dtype) {
    case DType::kFP32: return unary<float, float>(call, [](float x) { return -x; });
    case DType::kINT8: return negate<std::int8_t>(call);
    case DType::kINT16: return negate<std::int16_t>(call);
    case DType::kINT32: return negate<std::int32_t>(call);
    case DType::kINT64: return negate<std::int64_t>(call);
    default: return unsupported_type(dtype);
  }
}

Result<void> exp(Call& call) {
  MACAW_ASSIGN(const DType dtype, same_type_and_shape(call));
  const auto f = [](float x) { return std::exp(x); };
  switch (dtype) {
    case DType::kFP32: return unary<float, float>(call, f);
    case DType::kINT8: return function_of_bytes<std::int8_t>(call, f);
    case DType::kINT16: return function_of_int16(call, f);
    default: return unsupported_type(dtype);
  }
}

/// A logarithm that gives the least value of T where there is none.
template <class T>
auto lowest_or_log(Affine to) {
  const float lowest = static_cast<float>(std::numeric_limits<T>::min() - to.zero_point) * to.scale;
  return [lowest](float x) { return x <= 0 ? lowest : std::log(x); };
}

Result<void> log(Call& call) {
  MACAW_ASSIGN(const DType dtype, same_type_and_shape(call));
  if (dtype == DType::kFP32) return unary<float, float>(call, [](float x) { return std::log(x); });
  if (dtype != DType::kINT8 && dtype != DType::kINT16) return unsupported_type(dtype);
  MACAW_ASSIGN(const Affine to, affine(call.outputs[0]));
  if (dtype == DType::kINT8) return function_of_bytes<std::int8_t>(call, lowest_or_log<std::int8_t>(to));
  return function_of_int16(call, lowest_or_log<std::int16_t>(to));
}

template <class T>
Result<void> quantized_rsqrt(Call& call) {
  MACAW_ASSIGN(const Affine from, affine(call.inputs[0]));
  MACAW_ASSIGN(const Affine to, affine(call.outputs[0]));
  // The root and the product are in single precision.
  MACAW_ASSIGN(const auto ratio, fixed_multiplier(1.0 / double{std::sqrt(from.scale) * to.scale}));
  constexpr int kShift = 20;
  bool is_negative = false;
  MACAW_CHECK((unary<T, T>(call, [&](T x) {
    const std::int32_t value = x - from.zero_point;
    is_negative |= value < 0;
    if (value <= 0) return std::numeric_limits<T>::max();
    FixedMultiplier root = inverse_square_root(value);
    root.shift += kShift;
    const std::int32_t scaled = scale(scale(1, root), {ratio.multiplier, std::max(ratio.shift - kShift, -31)});
    return clamped<T>(std::int64_t{scaled} + to.zero_point);
  })));
  return is_negative ? invalid("a root of a negative value") : Result<void>();
}

Result<void> rsqrt(Call& call) {
  MACAW_ASSIGN(const DType dtype, same_type_and_shape(call));
  switch (dtype) {
    case DType::kFP32: return unary<float, float>(call, [](float x) { return 1.0F / std::sqrt(x); });
    case DType::kINT8: return quantized_rsqrt<std::int8_t>(call);
    case DType::kINT16: return quantized_rsqrt<std::int16_t>(call);
    default: return unsupported_type(dtype);
  }
}

constexpr Definition kDefinitions[] = {
    {"ABS", 1, 1, 1, 1, abs, kElementwise},
    {"NEG", 1, 1, 1, 1, neg, kElementwise},
    {"EXP", 1, 1, 1, 1, exp, kElementwise},
    {"LOG", 1, 1, 1, 1, log, kElementwise},
    {"RSQRT", 1, 1, 1, 1, rsqrt, kElementwise},
    {"SQRT", 1, 1, 1, 1, of_floats<square_root>, kElementwise},
    {"SQUARE", 1, 1, 1, 1, of_floats<square>, kElementwise},
    {"CEIL", 1, 1, 1, 1, of_floats<round_up>, kElementwise},
    {"FLOOR", 1, 1, 1, 1, of_floats<round_down>, kElementwise},
};

}  // namespace

extern constexpr Operators kOperators = kDefinitions;

}  // namespace macaw::tflite::elementwise
