#include <cmath>

#include "reference/tflite/function_lines.hpp"

// tensorflow/tflite-micro @90b983c2b tensorflow/lite/micro/kernels/exp.cc; integers: tensorflow/tensorflow
// tensorflow/lite/kernels/exp.cc.
namespace macaw::tflite::EXP {
namespace {

Result<void> exp(Call& call) {
  MACAW_ASSIGN(const DType dtype, same_type_and_shape(call));
  const auto f = [](float x) { return std::exp(x); };
  switch (dtype) {
    case DType::kFP32: return unary<float, float>(call, f);
    case DType::kINT8: return function_of_bytes<std::int8_t>(call, f);
    case DType::kINT16: return function_of_int16(call, f);
    default: return unsupported_type(dtype);
  }
}

}  // namespace

extern constexpr Definition kDefinition = {"EXP", 1, 1, 1, 1, exp};

}  // namespace macaw::tflite::EXP
