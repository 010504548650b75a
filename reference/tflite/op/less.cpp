#include "reference/tflite/op/comparison.hpp"

// tensorflow/tflite-micro @90b983c2b tensorflow/lite/micro/kernels/comparisons.cc.
namespace macaw::tflite::LESS {
namespace {

Result<void> less(Call& call) {
  return compare(
      call, [](auto x, auto y) { return x < y; }, false);
}

}  // namespace

extern constexpr Definition kDefinition = {"LESS", 2, 2, 1, 1, less};

}  // namespace macaw::tflite::LESS
