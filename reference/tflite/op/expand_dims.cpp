#include "reference/tflite/copy.hpp"

// tensorflow/tflite-micro @90b983c2b tensorflow/lite/micro/kernels/expand_dims.cc: the file states the output's shape.
namespace macaw::tflite::EXPAND_DIMS {

extern constexpr Definition kDefinition = {"EXPAND_DIMS", 2, 2, 1, 1, copy_elements};

}  // namespace macaw::tflite::EXPAND_DIMS
