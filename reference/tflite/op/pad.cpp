#include "reference/tflite/op/padding.hpp"

// tensorflow/tflite-micro @90b983c2b tensorflow/lite/micro/kernels/pad.cc.
namespace macaw::tflite::PAD {
namespace {

Result<void> pad(Call& call) { return pad_with_constant(call, call.inputs.size()); }

}  // namespace

extern constexpr Definition kDefinition = {"PAD", 2, 2, 1, 1, pad};

}  // namespace macaw::tflite::PAD
