#include "reference/tflite/op/relu.hpp"

// tensorflow/tflite-micro @90b983c2b tensorflow/lite/micro/kernels/activations.cc.
namespace macaw::tflite::RELU6 {
namespace {

// Values are clamped as they are: input and output have one quantisation.
Result<void> relu6(Call& call) {
  if (call.inputs[0].quantization && call.outputs[0].quantization &&
      !expect_same_quantization(call.inputs[0], call.outputs[0]))
    return clamped_activation(call, schema::ActivationFunctionType::RELU6);
  MACAW_ASSIGN(const DType dtype, same_type_and_shape(call));
  if (dtype == DType::kFP32) return clamped_activation(call, schema::ActivationFunctionType::RELU6);
  MACAW_ASSIGN(const Affine from, affine(call.inputs[0]));
  MACAW_ASSIGN(const Range range, activation_range(schema::ActivationFunctionType::RELU6, dtype, from));
  return with_quantized(dtype, [&]<class T>(T) {
    return unary<T, T>(call, [&](T x) { return static_cast<T>(std::clamp<std::int32_t>(x, range.min, range.max)); });
  });
}

}  // namespace

extern constexpr Definition kDefinition = {"RELU6", 1, 1, 1, 1, relu6};

}  // namespace macaw::tflite::RELU6
