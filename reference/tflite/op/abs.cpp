#include <cmath>

#include "reference/tflite/unary.hpp"

// tensorflow/tflite-micro @90b983c2b tensorflow/lite/micro/kernels/elementwise.cc.
namespace macaw::tflite::ABS {
namespace {

Result<void> abs(Call& call) {
  MACAW_ASSIGN(const DType dtype, same_type_and_shape(call));
  if (dtype == DType::kFP32) return unary<float, float>(call, [](float x) { return std::abs(x); });
  if (!call.inputs[0].quantization)
    return with_integer(dtype, [&]<class T>(T) {
      return unary<T, T>(call, [](T x) { return static_cast<T>(x < 0 ? -std::int64_t{x} : std::int64_t{x}); });
    });
  MACAW_ASSIGN(const Affine from, affine(call.inputs[0]));
  MACAW_ASSIGN(const Affine to, affine(call.outputs[0]));
  const bool is_scaled = from.scale != to.scale;
  // The ratio is in single precision.
  MACAW_ASSIGN(const auto ratio, fixed_multiplier(double{from.scale / to.scale}));
  return with_quantized(dtype, [&]<class T>(T) {
    return unary<T, T>(call, [&](T x) {
      const std::int32_t value = std::abs(x - from.zero_point);
      return clamped<T>(std::int64_t{is_scaled ? scale(value, ratio) : value} + to.zero_point);
    });
  });
}

}  // namespace

extern constexpr Definition kDefinition = {"ABS", 1, 1, 1, 1, abs};

}  // namespace macaw::tflite::ABS
