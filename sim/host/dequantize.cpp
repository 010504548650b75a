#include "sim/host/quantization.hpp"

#include <algorithm>

namespace macaw::npu::host {

// lite/kernels/internal/reference/dequantize.h: the product is in double precision.
Result<void> dequantize(HostCall& call) {
  MACAW_ASSIGN(const Tensor* in, input(call, 0));
  Tensor& out = call.outputs[0];
  MACAW_CHECK(expect(out, DType::kFP32, "the output"));
  MACAW_CHECK(expect(out, in->shape(), "the output"));
  MACAW_ASSIGN(const Affine from, affine(call.op.inputs[0]));
  return with_integer(in->dtype(), [&]<class T>(T) -> Result<void> {
    const auto values = in->data<T>();
    std::transform(values.begin(), values.end(), out.data<float>().begin(), [&](T value) {
      return static_cast<float>(double{from.scale} * static_cast<double>(std::int64_t{value} - from.zero_point));
    });
    return {};
  });
}

}  // namespace macaw::npu::host
