#include <algorithm>

#include "reference/tflite/elementwise.hpp"
#include "reference/tflite/quantization.hpp"

// tensorflow/tflite-micro @90b983c2b tensorflow/lite/micro/kernels/maximum_minimum.cc.
namespace macaw::tflite::maximum_minimum {
namespace {

template <bool kIsMaximum>
Result<void> larger_or_smaller(Call& call) {
  MACAW_ASSIGN(const DType dtype, common_type(call));
  MACAW_CHECK(expect(call.output(), dtype, "the output"));
  if (is_quantized(dtype)) {
    MACAW_CHECK(expect_same_quantization(call.inputs[0], call.outputs[0]));
    MACAW_CHECK(expect_same_quantization(call.inputs[1], call.outputs[0]));
  }
  return with_number(dtype, [&]<class T>(T) {
    return binary<T, T>(call, [](T x, T y) { return kIsMaximum ? std::max(x, y) : std::min(x, y); });
  });
}

constexpr Definition kDefinitions[] = {
    {"MAXIMUM", 2, 2, 1, 1, larger_or_smaller<true>, kElementwise},
    {"MINIMUM", 2, 2, 1, 1, larger_or_smaller<false>, kElementwise},
};

}  // namespace

extern constexpr Operators kOperators = kDefinitions;

}  // namespace macaw::tflite::maximum_minimum
