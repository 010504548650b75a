#include "reference/tflite/op/comparison.hpp"

// tensorflow/tflite-micro @90b983c2b tensorflow/lite/micro/kernels/comparisons.cc.
namespace macaw::tflite::GREATER {
namespace {

Result<void> greater(Call& call) {
  return compare(
      call, [](auto x, auto y) { return x > y; }, false);
}

}  // namespace

extern constexpr Definition kDefinition = {"GREATER", 2, 2, 1, 1, greater};

}  // namespace macaw::tflite::GREATER
