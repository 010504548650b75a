#include "reference/tflite/op/relu.hpp"

// tensorflow/tflite-micro @90b983c2b tensorflow/lite/kernels/activations.cc has it, as RELU with other bounds.
namespace macaw::tflite::RELU_N1_TO_1 {
namespace {

Result<void> relu_n1_to_1(Call& call) { return clamped_activation(call, schema::ActivationFunctionType::RELU_N1_TO_1); }

}  // namespace

extern constexpr Definition kDefinition = {"RELU_N1_TO_1", 1, 1, 1, 1, relu_n1_to_1};

}  // namespace macaw::tflite::RELU_N1_TO_1
