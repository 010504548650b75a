#include "reference/tflite/op/reduction.hpp"

// tensorflow/tflite-micro @90b983c2b tensorflow/lite/micro/kernels/reduce_common.cc.
namespace macaw::tflite::REDUCE_MIN {
namespace {

Result<void> reduce_min(Call& call) {
  MACAW_ASSIGN(const Reduction reduction, Reduction::create(call));
  const DType dtype = call.inputs[0].value->dtype();
  MACAW_CHECK(expect(call.output(), dtype, "the output"));
  if (is_quantized(dtype)) MACAW_CHECK(expect_same_quantization(call.inputs[0], call.outputs[0]));
  return with_number(dtype, [&]<class T>(T) {
    return fold<T>(call, reduction, std::numeric_limits<T>::max(), [](T x, T y) { return std::min(x, y); });
  });
}

}  // namespace

extern constexpr Definition kDefinition = {"REDUCE_MIN", 2, 2, 1, 1, reduce_min};

}  // namespace macaw::tflite::REDUCE_MIN
