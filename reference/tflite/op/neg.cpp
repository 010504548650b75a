#include "reference/tflite/unary.hpp"

// tensorflow/tflite-micro @90b983c2b tensorflow/lite/micro/kernels/neg.cc.
namespace macaw::tflite::NEG {
namespace {

Result<void> neg(Call& call) {
  MACAW_ASSIGN(const DType dtype, same_type_and_shape(call));
  if (dtype != DType::kFP32) return unsupported_type(dtype);
  return unary<float, float>(call, [](float x) { return -x; });
}

}  // namespace

extern constexpr Definition kDefinition = {"NEG", 1, 1, 1, 1, neg};

}  // namespace macaw::tflite::NEG
