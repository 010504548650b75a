#include "reference/tflite/copy.hpp"

// tensorflow/tflite-micro @90b983c2b tensorflow/lite/micro/kernels/squeeze.cc: the file states the output's shape.
namespace macaw::tflite::SQUEEZE {

extern constexpr Definition kDefinition = {"SQUEEZE", 1, 1, 1, 1, copy_elements};

}  // namespace macaw::tflite::SQUEEZE
