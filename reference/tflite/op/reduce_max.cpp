#include "reference/tflite/op/reduction.hpp"

// tensorflow/tflite-micro @90b983c2b tensorflow/lite/micro/kernels/reduce_common.cc.
namespace macaw::tflite::REDUCE_MAX {
namespace {

Result<void> reduce_max(Call& call) {
  MACAW_ASSIGN(const Reduction reduction, Reduction::create(call));
  const DType dtype = call.inputs[0].value->dtype();
  MACAW_CHECK(expect(call.output(), dtype, "the output"));
  if (is_quantized(dtype)) MACAW_CHECK(expect_same_quantization(call.inputs[0], call.outputs[0]));
  return with_number(dtype, [&]<class T>(T) {
    return fold<T>(call, reduction, std::numeric_limits<T>::lowest(), [](T x, T y) { return std::max(x, y); });
  });
}

}  // namespace

extern constexpr Definition kDefinition = {"REDUCE_MAX", 2, 2, 1, 1, reduce_max};

}  // namespace macaw::tflite::REDUCE_MAX
