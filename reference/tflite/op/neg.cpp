#include "reference/tflite/unary.hpp"

// tensorflow/tflite-micro @90b983c2b tensorflow/lite/micro/kernels/neg.cc.
namespace macaw::tflite::NEG {
namespace {

Result<void> neg(Call& call) {
  MACAW_ASSIGN(const DType dtype, same_type_and_shape(call));
  if (dtype == DType::kFP32) return unary<float, float>(call, [](float x) { return -x; });
  // Integers that stand for themselves: tensorflow/tensorflow tensorflow/lite/kernels/neg.cc.
  if (dtype != DType::kINT32) return unsupported_type(dtype);
  return unary<std::int32_t, std::int32_t>(
      call, [](std::int32_t x) { return static_cast<std::int32_t>(0U - static_cast<std::uint32_t>(x)); });
}

}  // namespace

extern constexpr Definition kDefinition = {"NEG", 1, 1, 1, 1, neg};

}  // namespace macaw::tflite::NEG
