#include <cmath>

#include "reference/tflite/unary.hpp"

// tensorflow/tflite-micro @90b983c2b tensorflow/lite/micro/kernels/leaky_relu_common.cc,
// tensorflow/lite/kernels/internal/reference/leaky_relu.h.
namespace macaw::tflite::LEAKY_RELU {
namespace {

Result<void> leaky_relu(Call& call) {
  MACAW_ASSIGN(const auto* options, call.options_as<schema::LeakyReluOptionsT>());
  const float alpha = options->alpha;
  MACAW_ASSIGN(const DType dtype, same_type_and_shape(call));
  if (dtype == DType::kFP32) return unary<float, float>(call, [&](float x) { return x > 0 ? x : x * alpha; });
  MACAW_ASSIGN(const Affine from, affine(call.inputs[0]));
  MACAW_ASSIGN(const Affine to, affine(call.outputs[0]));
  // The products are in single precision.
  MACAW_ASSIGN(const auto negative, fixed_multiplier(std::abs(double{from.scale * alpha / to.scale})));
  MACAW_ASSIGN(const auto positive, fixed_multiplier(double{from.scale / to.scale}));
  return with_quantized(dtype, [&]<class T>(T) {
    return unary<T, T>(call, [&](T x) {
      const std::int32_t value = x - from.zero_point;
      std::int64_t scaled = scale(value, value >= 0 ? positive : negative);
      if (value < 0 && alpha < 0) scaled = -scaled;
      return clamped<T>(scaled + to.zero_point);
    });
  });
}

}  // namespace

extern constexpr Definition kDefinition = {"LEAKY_RELU", 1, 1, 1, 1, leaky_relu};

}  // namespace macaw::tflite::LEAKY_RELU
