#include <cmath>

#include <fmt/format.h>

#include "reference/tflite/elementwise.hpp"
#include "reference/tflite/function_tables.hpp"

// tensorflow/tflite-micro @90b983c2b tensorflow/lite/micro/kernels/{logistic.cc,logistic_common.cc,tanh.cc},
// tensorflow/lite/kernels/internal/reference/integer_ops/{logistic.h,tanh.h}.
namespace macaw::tflite::sigmoid {
namespace {

/// A function of the kind of LOGISTIC and TANH: of 8-bit values with 4 integer bits in and none out, of 16-bit values,
/// and of floats.
struct Sigmoid {
  std::int32_t (*of_fixed)(std::int32_t);
  std::int16_t (*of_int16)(std::int16_t, SigmoidScale);
  float (*of_float)(float);
  int output_bits = 0;       ///< fraction bits of an 8-bit output
  int least_zero_point = 0;  ///< zero point of an int8 output
  int most_shift = 0;        ///< of 16-bit inputs, for sigmoid_scale()
};

template <class T>
Result<void> of_bytes(Call& call, const Sigmoid& sigmoid) {
  MACAW_ASSIGN(const Affine from, affine(call.inputs[0]));
  MACAW_ASSIGN(const Affine to, affine(call.outputs[0]));
  constexpr int kUnsigned = std::numeric_limits<T>::min() == 0 ? 128 : 0;
  if (to.zero_point != sigmoid.least_zero_point + kUnsigned || to.scale != std::ldexp(1.0F, -sigmoid.output_bits))
    return unsupported(fmt::format("an output of scale {} and zero point {}", to.scale, to.zero_point));
  constexpr int kIntegerBits = 4;
  MACAW_ASSIGN(const auto into, fixed_multiplier(double{from.scale} * (1 << (31 - kIntegerBits))));
  const double radius =
      std::floor(std::ldexp(double((1 << kIntegerBits) - 1) * (1 << (31 - kIntegerBits)), -into.shift));
  return unary<T, T>(call, [&](T x) {
    const std::int32_t value = x - from.zero_point;
    if (value <= -radius) return std::numeric_limits<T>::min();
    if (value >= radius) return std::numeric_limits<T>::max();
    const std::int32_t result = sigmoid.of_fixed(scale(value, into));
    return clamped<T>(std::int64_t{rounding_shift(result, 31 - sigmoid.output_bits)} + to.zero_point);
  });
}

Result<void> of_int16(Call& call, const Sigmoid& sigmoid) {
  MACAW_ASSIGN(const Affine from, affine(call.inputs[0]));
  MACAW_ASSIGN(const Affine to, affine(call.outputs[0]));
  int exponent = 0;
  if (from.zero_point != 0 || to.zero_point != 0 || !is_power_of_two(to.scale, exponent) || exponent != -15)
    return unsupported(fmt::format("an output of scale {}, or zero points that are not 0", to.scale));
  const SigmoidScale scale = sigmoid_scale(from.scale, sigmoid.most_shift);
  if (scale.multiplier > 32767) return unsupported(fmt::format("an input of scale {}", from.scale));
  return unary<std::int16_t, std::int16_t>(call, [&](std::int16_t x) { return sigmoid.of_int16(x, scale); });
}

Result<void> apply(Call& call, const Sigmoid& sigmoid) {
  MACAW_ASSIGN(const DType dtype, same_type_and_shape(call));
  switch (dtype) {
    case DType::kFP32: return unary<float, float>(call, sigmoid.of_float);
    case DType::kINT8: return of_bytes<std::int8_t>(call, sigmoid);
    case DType::kUINT8: return of_bytes<std::uint8_t>(call, sigmoid);
    case DType::kINT16: return of_int16(call, sigmoid);
    default: return unsupported_type(dtype);
  }
}

Result<void> logistic(Call& call) { return apply(call, {logistic_of, logistic16, float_logistic, 8, -128, 0}); }

Result<void> tanh(Call& call) {
  return apply(call, {tanh_of, tanh16, [](float x) { return std::tanh(x); }, 7, 0, 1});
}

constexpr Definition kDefinitions[] = {
    {"LOGISTIC", 1, 1, 1, 1, logistic, kElementwise},
    {"TANH", 1, 1, 1, 1, tanh, kElementwise},
};

}  // namespace

extern constexpr Operators kOperators = kDefinitions;

}  // namespace macaw::tflite::sigmoid
