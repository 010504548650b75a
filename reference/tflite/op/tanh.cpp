#include <cmath>

#include "reference/tflite/op/sigmoid.hpp"

// tensorflow/tflite-micro @90b983c2b tensorflow/lite/micro/kernels/tanh.cc.
namespace macaw::tflite::TANH {
namespace {

Result<void> tanh(Call& call) {
  return apply(call, {tanh_of, tanh16, [](float x) { return std::tanh(x); }, 7, 0, 1});
}

}  // namespace

extern constexpr Definition kDefinition = {"TANH", 1, 1, 1, 1, tanh};

}  // namespace macaw::tflite::TANH
