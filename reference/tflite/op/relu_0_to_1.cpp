#include "reference/tflite/op/relu.hpp"

// tensorflow/tensorflow tensorflow/lite/kernels/activations.cc has it, as RELU with other bounds.
namespace macaw::tflite::RELU_0_TO_1 {
namespace {

Result<void> relu_0_to_1(Call& call) {
  using enum schema::ActivationFunctionType;
  return clamped_activation(call, RELU, RELU_N1_TO_1);
}

}  // namespace

extern constexpr Definition kDefinition = {"RELU_0_TO_1", 1, 1, 1, 1, relu_0_to_1};

}  // namespace macaw::tflite::RELU_0_TO_1
