#include "reference/tflite/op/relu.hpp"

// tensorflow/tflite-micro @90b983c2b tensorflow/lite/micro/kernels/activations.cc.
namespace macaw::tflite::RELU {
namespace {

Result<void> relu(Call& call) { return clamped_activation(call, schema::ActivationFunctionType::RELU); }

}  // namespace

extern constexpr Definition kDefinition = {"RELU", 1, 1, 1, 1, relu};

}  // namespace macaw::tflite::RELU
