#include <cmath>

#include "reference/tflite/unary.hpp"

// tensorflow/tflite-micro @90b983c2b tensorflow/lite/micro/kernels/elu.cc,
// tensorflow/lite/kernels/internal/reference/elu.h.
namespace macaw::tflite::ELU {
namespace {

float of_float(float x) { return x < 0 ? std::exp(x) - 1.0F : x; }

/// In single precision throughout.
Result<void> of_int8(Call& call) {
  MACAW_ASSIGN(const Affine from, affine(call.inputs[0]));
  MACAW_ASSIGN(const Affine to, affine(call.outputs[0]));
  const float inverse = 1 / to.scale;
  return unary<std::int8_t, std::int8_t>(call, [&](std::int8_t x) {
    const float real = from.scale * static_cast<float>(x - from.zero_point);
    const float steps = std::round(of_float(real) * inverse) + static_cast<float>(to.zero_point);
    return static_cast<std::int8_t>(std::clamp(steps, -128.0F, 127.0F));
  });
}

Result<void> elu(Call& call) {
  MACAW_ASSIGN(const DType dtype, same_type_and_shape(call));
  if (dtype == DType::kFP32) return unary<float, float>(call, [](float x) { return x < 0 ? std::expm1(x) : x; });
  return dtype == DType::kINT8 ? of_int8(call) : Result<void>(unsupported_type(dtype));
}

}  // namespace

extern constexpr Definition kDefinition = {"ELU", 1, 1, 1, 1, elu};

}  // namespace macaw::tflite::ELU
