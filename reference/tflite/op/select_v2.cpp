#include "reference/tflite/op/choice.hpp"

// tensorflow/tflite-micro @90b983c2b tensorflow/lite/micro/kernels/select.cc.
namespace macaw::tflite::SELECT_V2 {

extern constexpr Definition kDefinition = {"SELECT_V2", 3, 3, 1, 1, choose};

}  // namespace macaw::tflite::SELECT_V2
