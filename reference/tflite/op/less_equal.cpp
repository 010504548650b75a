#include "reference/tflite/op/comparison.hpp"

// tensorflow/tflite-micro @90b983c2b tensorflow/lite/micro/kernels/comparisons.cc.
namespace macaw::tflite::LESS_EQUAL {
namespace {

Result<void> less_equal(Call& call) {
  return compare(
      call, [](auto x, auto y) { return x <= y; }, false);
}

}  // namespace

extern constexpr Definition kDefinition = {"LESS_EQUAL", 2, 2, 1, 1, less_equal};

}  // namespace macaw::tflite::LESS_EQUAL
