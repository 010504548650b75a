#include <cmath>

#include "reference/tflite/unary.hpp"

// tensorflow/tflite-micro @90b983c2b tensorflow/lite/micro/kernels/elementwise.cc.
namespace macaw::tflite::RSQRT {
namespace {

template <class T>
Result<void> quantized(Call& call) {
  MACAW_ASSIGN(const Affine from, affine(call.inputs[0]));
  MACAW_ASSIGN(const Affine to, affine(call.outputs[0]));
  // The root and the product are in single precision.
  MACAW_ASSIGN(const auto ratio, fixed_multiplier(1.0 / double{std::sqrt(from.scale) * to.scale}));
  constexpr int kShift = 20;
  bool is_negative = false;
  MACAW_CHECK((unary<T, T>(call, [&](T x) {
    const std::int32_t value = x - from.zero_point;
    is_negative |= value < 0;
    if (value <= 0) return std::numeric_limits<T>::max();
    FixedMultiplier root = inverse_square_root(value);
    root.shift += kShift;
    const std::int32_t scaled = scale(scale(1, root), {ratio.multiplier, std::max(ratio.shift - kShift, -31)});
    return clamped<T>(std::int64_t{scaled} + to.zero_point);
  })));
  return is_negative ? invalid("a root of a negative value") : Result<void>();
}

Result<void> rsqrt(Call& call) {
  MACAW_ASSIGN(const DType dtype, same_type_and_shape(call));
  switch (dtype) {
    case DType::kFP32: return unary<float, float>(call, [](float x) { return 1.0F / std::sqrt(x); });
    case DType::kINT8: return quantized<std::int8_t>(call);
    case DType::kINT16: return quantized<std::int16_t>(call);
    default: return unsupported_type(dtype);
  }
}

}  // namespace

extern constexpr Definition kDefinition = {"RSQRT", 1, 1, 1, 1, rsqrt};

}  // namespace macaw::tflite::RSQRT
