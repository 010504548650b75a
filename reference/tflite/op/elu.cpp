#include <cmath>

#include "reference/tflite/function_lines.hpp"

// tensorflow/tflite-micro @90b983c2b tensorflow/lite/micro/kernels/elu.cc,
// tensorflow/lite/kernels/internal/reference/elu.h.
namespace macaw::tflite::ELU {
namespace {

float of_float(float x) { return x < 0 ? std::exp(x) - 1.0F : x; }

Result<void> elu(Call& call) {
  MACAW_ASSIGN(const DType dtype, same_type_and_shape(call));
  if (dtype == DType::kFP32) return unary<float, float>(call, [](float x) { return x < 0 ? std::expm1(x) : x; });
  return dtype == DType::kINT8 ? function_of_bytes<std::int8_t>(call, of_float) : Result<void>(unsupported_type(dtype));
}

}  // namespace

extern constexpr Definition kDefinition = {"ELU", 1, 1, 1, 1, elu};

}  // namespace macaw::tflite::ELU
