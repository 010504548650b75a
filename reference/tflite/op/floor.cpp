#include <cmath>

#include "reference/tflite/unary.hpp"

// tensorflow/tflite-micro @90b983c2b tensorflow/lite/micro/kernels/floor.cc.
namespace macaw::tflite::FLOOR {
namespace {

Result<void> floor(Call& call) {
  MACAW_ASSIGN(const DType dtype, same_type_and_shape(call));
  if (dtype != DType::kFP32) return unsupported_type(dtype);
  return unary<float, float>(call, [](float x) { return std::floor(x); });
}

}  // namespace

extern constexpr Definition kDefinition = {"FLOOR", 1, 1, 1, 1, floor};

}  // namespace macaw::tflite::FLOOR
