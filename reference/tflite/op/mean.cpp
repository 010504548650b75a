#include "reference/tflite/op/reduction.hpp"

// tensorflow/tflite-micro @90b983c2b tensorflow/lite/micro/kernels/reduce_common.cc,
// tensorflow/lite/kernels/internal/reference/reduce.h.
namespace macaw::tflite::MEAN {
namespace {

Result<void> mean(Call& call) {
  MACAW_ASSIGN(const Reduction reduction, Reduction::create(call));
  const DType dtype = call.inputs[0].value->dtype();
  MACAW_CHECK(expect(call.output(), dtype, "the output"));
  if (dtype != DType::kFP32) return quantized_mean_or_sum(call, reduction, true);
  MACAW_CHECK(fold<float>(call, reduction, 0, [](float sum, float value) { return sum + value; }));
  if (reduction.count > 0)
    for (float& value : call.output().data<float>()) value /= static_cast<float>(reduction.count);
  return {};
}

}  // namespace

extern constexpr Definition kDefinition = {"MEAN", 2, 2, 1, 1, mean};

}  // namespace macaw::tflite::MEAN
