#include <algorithm>

#include "reference/tflite/broadcast.hpp"
#include "reference/tflite/quantization.hpp"

// tensorflow/tflite-micro @90b983c2b tensorflow/lite/micro/kernels/mul_common.cc,
// tensorflow/lite/kernels/internal/reference/{mul.h,integer_ops/mul.h}.
namespace macaw::tflite::MUL {
namespace {

template <class T>
Result<void> quantized(Call& call, schema::ActivationFunctionType activation) {
  MACAW_ASSIGN(const Affine a, affine(call.inputs[0]));
  MACAW_ASSIGN(const Affine b, affine(call.inputs[1]));
  MACAW_ASSIGN(const Affine to, affine(call.outputs[0]));
  if (sizeof(T) == 2 && (a.zero_point != 0 || b.zero_point != 0 || to.zero_point != 0))
    return unsupported("int16 with a zero point");
  MACAW_ASSIGN(const auto ratio, fixed_multiplier(double{a.scale} * double{b.scale} / double{to.scale}));
  MACAW_ASSIGN(const Range range, activation_range(activation, call.output().dtype(), to));
  return binary<T, T>(call, [&](T x, T y) {
    const std::int64_t scaled = scale((x - a.zero_point) * (y - b.zero_point), ratio);
    return static_cast<T>(std::clamp<std::int64_t>(scaled + to.zero_point, range.min, range.max));
  });
}

Result<void> mul(Call& call) {
  MACAW_ASSIGN(const auto* options, call.options_as<schema::MulOptionsT>());
  const auto activation = options->fused_activation_function;
  MACAW_ASSIGN(const DType dtype, common_type(call));
  MACAW_CHECK(expect(call.output(), dtype, "the output"));
  if (dtype == DType::kFP32) {
    MACAW_ASSIGN(const FloatRange range, activation_range(activation));
    return binary<float, float>(call, [&](float x, float y) { return std::clamp(x * y, range.min, range.max); });
  }
  if (dtype == DType::kINT32) {
    if (activation != schema::ActivationFunctionType::NONE) return unsupported("int32 with a fused activation");
    return binary<std::int32_t, std::int32_t>(call, [](std::int32_t x, std::int32_t y) {
      return static_cast<std::int32_t>(std::int64_t{x} * std::int64_t{y});
    });
  }
  return with_quantized(dtype, [&]<class T>(T) { return quantized<T>(call, activation); });
}

}  // namespace

extern constexpr Definition kDefinition = {"MUL", 2, 2, 1, 1, mul};

}  // namespace macaw::tflite::MUL
