#include "reference/tflite/op/reduction.hpp"

// tensorflow/tflite-micro @90b983c2b tensorflow/lite/micro/kernels/reduce_common.cc,
// tensorflow/lite/kernels/internal/reference/reduce.h.
namespace macaw::tflite::SUM {
namespace {

Result<void> sum(Call& call) {
  MACAW_ASSIGN(const Reduction reduction, Reduction::create(call));
  const DType dtype = call.inputs[0].value->dtype();
  MACAW_CHECK(expect(call.output(), dtype, "the output"));
  if (dtype == DType::kFP32) return fold<float>(call, reduction, 0, [](float sum, float value) { return sum + value; });
  if (dtype == DType::kINT32)
    return fold<std::int32_t>(call, reduction, 0, [](std::int32_t sum, std::int32_t value) {
      return static_cast<std::int32_t>(std::int64_t{sum} + value);
    });
  return quantized_mean_or_sum(call, reduction, false);
}

}  // namespace

extern constexpr Definition kDefinition = {"SUM", 2, 2, 1, 1, sum};

}  // namespace macaw::tflite::SUM
