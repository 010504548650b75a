#include "reference/tflite/op/choice.hpp"

// tensorflow/tflite-micro @90b983c2b tensorflow/lite/micro/kernels/select.cc.
namespace macaw::tflite::SELECT {

extern constexpr Definition kDefinition = {"SELECT", 3, 3, 1, 1, choose};

}  // namespace macaw::tflite::SELECT
