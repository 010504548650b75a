#include "reference/tflite/op/relu.hpp"

// tensorflow/tflite-micro @90b983c2b tensorflow/lite/micro/kernels/activations_common.cc,
// tensorflow/lite/micro/kernels/activations.cc.
namespace macaw::tflite {

Result<void> clamped_activation(Call& call, schema::ActivationFunctionType activation) {
  return clamped_activation(call, activation, activation);
}

Result<void> clamped_activation(Call& call, schema::ActivationFunctionType low, schema::ActivationFunctionType high) {
  MACAW_ASSIGN(const DType dtype, same_type_and_shape(call));
  if (dtype == DType::kFP32) {
    MACAW_ASSIGN(FloatRange range, activation_range(high));
    MACAW_ASSIGN(const FloatRange least, activation_range(low));
    range.min = least.min;
    if (high == schema::ActivationFunctionType::RELU) range.max = std::numeric_limits<float>::infinity();
    return unary<float, float>(call, [=](float x) {
      return x > range.max ? range.max : x < range.min ? range.min : x;
    });
  }
  if (!is_quantized(dtype)) return unsupported_type(dtype);
  MACAW_ASSIGN(const Affine from, affine(call.inputs[0]));
  MACAW_ASSIGN(const Affine to, affine(call.outputs[0]));
  MACAW_ASSIGN(Range range, activation_range(high, dtype, to));
  MACAW_ASSIGN(const Range least, activation_range(low, dtype, to));
  range.min = least.min;
  // The ratio is in single precision.
  MACAW_ASSIGN(const auto ratio, fixed_multiplier(double{from.scale / to.scale}));
  return with_quantized(dtype, [&]<class T>(T) {
    return unary<T, T>(call, [&](T x) {
      const std::int64_t scaled = std::int64_t{scale(x - from.zero_point, ratio)} + to.zero_point;
      return static_cast<T>(std::clamp<std::int64_t>(scaled, range.min, range.max));
    });
  });
}

}  // namespace macaw::tflite
