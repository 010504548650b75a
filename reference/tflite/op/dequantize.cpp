#include "reference/tflite/quantization.hpp"

#include <algorithm>

namespace macaw::tflite::DEQUANTIZE {
namespace {

// tensorflow/tflite-micro @90b983c2b tensorflow/lite/kernels/internal/reference/dequantize.h: the product is in double
// precision.
Result<void> dequantize(Call& call) {
  MACAW_ASSIGN(const Tensor* in, call.input(0));
  Tensor& out = call.output();
  MACAW_CHECK(expect(out, DType::kFP32, "the output"));
  MACAW_CHECK(expect(out, in->shape(), "the output"));
  MACAW_ASSIGN(const Affine from, affine(call.inputs[0]));
  return with_integer(in->dtype(), [&]<class T>(T) -> Result<void> {
    const auto values = in->data<T>();
    std::transform(values.begin(), values.end(), out.data<float>().begin(), [&](T value) {
      return static_cast<float>(double{from.scale} * static_cast<double>(std::int64_t{value} - from.zero_point));
    });
    return {};
  });
}

}  // namespace

extern constexpr Definition kDefinition = {"DEQUANTIZE", 1, 1, 1, 1, dequantize};

}  // namespace macaw::tflite::DEQUANTIZE
