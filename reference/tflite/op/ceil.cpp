#include <cmath>

#include "reference/tflite/unary.hpp"

// tensorflow/tflite-micro @90b983c2b tensorflow/lite/micro/kernels/ceil.cc.
namespace macaw::tflite::CEIL {
namespace {

Result<void> ceil(Call& call) {
  MACAW_ASSIGN(const DType dtype, same_type_and_shape(call));
  if (dtype != DType::kFP32) return unsupported_type(dtype);
  return unary<float, float>(call, [](float x) { return std::ceil(x); });
}

}  // namespace

extern constexpr Definition kDefinition = {"CEIL", 1, 1, 1, 1, ceil};

}  // namespace macaw::tflite::CEIL
