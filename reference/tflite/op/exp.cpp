#include <cmath>

#include "reference/tflite/unary.hpp"

// tensorflow/tflite-micro @90b983c2b tensorflow/lite/micro/kernels/exp.cc.
namespace macaw::tflite::EXP {
namespace {

Result<void> exp(Call& call) {
  MACAW_ASSIGN(const DType dtype, same_type_and_shape(call));
  if (dtype != DType::kFP32) return unsupported_type(dtype);
  return unary<float, float>(call, [](float x) { return std::exp(x); });
}

}  // namespace

extern constexpr Definition kDefinition = {"EXP", 1, 1, 1, 1, exp};

}  // namespace macaw::tflite::EXP
