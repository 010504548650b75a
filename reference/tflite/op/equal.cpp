#include "reference/tflite/op/comparison.hpp"

// tensorflow/tflite-micro @90b983c2b tensorflow/lite/micro/kernels/comparisons.cc.
namespace macaw::tflite::EQUAL {
namespace {

Result<void> equal(Call& call) {
  return compare(
      call, [](auto x, auto y) { return x == y; }, true);
}

}  // namespace

extern constexpr Definition kDefinition = {"EQUAL", 2, 2, 1, 1, equal};

}  // namespace macaw::tflite::EQUAL
