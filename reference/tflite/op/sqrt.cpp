#include <cmath>

#include "reference/tflite/unary.hpp"

// tensorflow/tflite-micro @90b983c2b tensorflow/lite/micro/kernels/elementwise.cc.
namespace macaw::tflite::SQRT {
namespace {

Result<void> sqrt(Call& call) {
  MACAW_ASSIGN(const DType dtype, same_type_and_shape(call));
  if (dtype != DType::kFP32) return unsupported_type(dtype);
  return unary<float, float>(call, [](float x) { return std::sqrt(x); });
}

}  // namespace

extern constexpr Definition kDefinition = {"SQRT", 1, 1, 1, 1, sqrt};

}  // namespace macaw::tflite::SQRT
