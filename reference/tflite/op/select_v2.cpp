#include "reference/tflite/op/choice.hpp"

// tensorflow/tflite-micro @90b983c2b tensorflow/lite/micro/kernels/select.cc.
namespace macaw::tflite {

extern constexpr Definition kSELECT_V2 = {"SELECT_V2", 3, 3, 1, 1, choose};

}  // namespace macaw::tflite
