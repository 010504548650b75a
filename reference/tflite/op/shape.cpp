#include <algorithm>

#include "reference/tflite/call.hpp"

// tensorflow/tflite-micro @90b983c2b tensorflow/lite/micro/kernels/shape.cc.
namespace macaw::tflite::SHAPE {
namespace {

Result<void> shape(Call& call) {
  MACAW_ASSIGN(const Tensor* in, call.input(0));
  Tensor& out = call.output();
  MACAW_CHECK(expect(out, DType::kINT32, "the output"));
  MACAW_CHECK(expect(out, Shape{static_cast<std::int64_t>(in->rank())}, "the output"));
  std::ranges::transform(in->shape(), out.data<std::int32_t>().begin(),
                         [](std::int64_t extent) { return static_cast<std::int32_t>(extent); });
  return {};
}

}  // namespace

extern constexpr Definition kDefinition = {"SHAPE", 1, 1, 1, 1, shape};

}  // namespace macaw::tflite::SHAPE
