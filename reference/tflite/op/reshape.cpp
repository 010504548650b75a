#include "reference/tflite/copy.hpp"

// tensorflow/tflite-micro @90b983c2b tensorflow/lite/micro/kernels/reshape.cc: the file states the output's shape.
namespace macaw::tflite::RESHAPE {

extern constexpr Definition kDefinition = {"RESHAPE", 1, 2, 1, 1, copy_elements};

}  // namespace macaw::tflite::RESHAPE
