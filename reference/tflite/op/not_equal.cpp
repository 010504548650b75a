#include "reference/tflite/op/comparison.hpp"

// tensorflow/tflite-micro @90b983c2b tensorflow/lite/micro/kernels/comparisons.cc.
namespace macaw::tflite::NOT_EQUAL {
namespace {

Result<void> not_equal(Call& call) {
  return compare(
      call, [](auto x, auto y) { return x != y; }, true);
}

}  // namespace

extern constexpr Definition kDefinition = {"NOT_EQUAL", 2, 2, 1, 1, not_equal};

}  // namespace macaw::tflite::NOT_EQUAL
