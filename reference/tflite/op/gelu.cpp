#include "reference/tflite/function_lines.hpp"

// tensorflow/tensorflow tensorflow/lite/kernels/gelu.cc, tensorflow/lite/kernels/internal/reference/gelu.h.
namespace macaw::tflite::GELU {
namespace {

constexpr double kRootOfHalf = 0.70710678118654752440, kTwoByRootOfPi = 1.12837916709551257390;

float exact(float x) { return 0.5F * x * std::erfc(x * static_cast<float>(-kRootOfHalf)); }

float approximate(float x) {
  constexpr auto kFactor = static_cast<float>(kTwoByRootOfPi * kRootOfHalf);
  return 0.5F * x * (1.0F + std::tanh(kFactor * (x + 0.044715F * x * x * x)));
}

Result<void> gelu(Call& call) {
  MACAW_ASSIGN(const DType dtype, same_type_and_shape(call));
  const auto f = call.options_or_default<schema::GeluOptionsT>().approximate ? approximate : exact;
  switch (dtype) {
    case DType::kFP32: return unary<float, float>(call, f);
    case DType::kINT8: return function_of_bytes<std::int8_t>(call, f);
    case DType::kUINT8: return function_of_bytes<std::uint8_t>(call, f);
    default: return unsupported_type(dtype);
  }
}

}  // namespace

extern constexpr Definition kDefinition = {"GELU", 1, 1, 1, 1, gelu};

}  // namespace macaw::tflite::GELU
