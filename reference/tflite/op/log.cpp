#include <cmath>

#include "reference/tflite/function_lines.hpp"

// tensorflow/tflite-micro @90b983c2b tensorflow/lite/micro/kernels/elementwise.cc; integers: google-ai-edge/LiteRT
// @1afca8e7b tflite/kernels/elementwise.cc.
namespace macaw::tflite::LOG {
namespace {

/// A logarithm that gives the least value of T where there is none.
template <class T>
auto lowest_or_log(Affine to) {
  const float lowest = static_cast<float>(std::numeric_limits<T>::min() - to.zero_point) * to.scale;
  return [lowest](float x) { return x <= 0 ? lowest : std::log(x); };
}

Result<void> log(Call& call) {
  MACAW_ASSIGN(const DType dtype, same_type_and_shape(call));
  if (dtype == DType::kFP32) return unary<float, float>(call, [](float x) { return std::log(x); });
  if (dtype != DType::kINT8 && dtype != DType::kINT16) return unsupported_type(dtype);
  MACAW_ASSIGN(const Affine to, affine(call.outputs[0]));
  if (dtype == DType::kINT8) return function_of_bytes<std::int8_t>(call, lowest_or_log<std::int8_t>(to));
  return function_of_int16(call, lowest_or_log<std::int16_t>(to));
}

}  // namespace

extern constexpr Definition kDefinition = {"LOG", 1, 1, 1, 1, log};

}  // namespace macaw::tflite::LOG
