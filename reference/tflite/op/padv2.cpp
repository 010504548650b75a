#include "reference/tflite/op/padding.hpp"

// tensorflow/tflite-micro @90b983c2b tensorflow/lite/micro/kernels/pad.cc.
namespace macaw::tflite::PADV2 {
namespace {

Result<void> padv2(Call& call) { return pad_with_constant(call, 2); }

}  // namespace

extern constexpr Definition kDefinition = {"PADV2", 3, 3, 1, 1, padv2};

}  // namespace macaw::tflite::PADV2
