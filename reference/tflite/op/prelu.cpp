#include "reference/tflite/broadcast.hpp"
#include "reference/tflite/quantization.hpp"

// tensorflow/tflite-micro @90b983c2b tensorflow/lite/micro/kernels/prelu_common.cc,
// tensorflow/lite/kernels/internal/reference/prelu.h.
namespace macaw::tflite::PRELU {
namespace {

template <class T, class A>
Result<void> quantized(Call& call) {
  const Tensor &in = *call.inputs[0].value, &alpha = *call.inputs[1].value;
  MACAW_ASSIGN(const Affine from, affine(call.inputs[0]));
  MACAW_ASSIGN(const Affine by, affine(call.inputs[1]));
  MACAW_ASSIGN(const Affine to, affine(call.outputs[0]));
  MACAW_ASSIGN(const auto positive, fixed_multiplier(double{from.scale} / double{to.scale}));
  MACAW_ASSIGN(const auto negative, fixed_multiplier(double{from.scale} * double{by.scale} / double{to.scale}));
  MACAW_ASSIGN(const auto broadcast, Broadcast::create({in.shape(), alpha.shape()}, call.output().shape()));
  const auto x = in.data<T>();
  const auto a = alpha.data<A>();
  const auto out = call.output().data_to_fill<T>();
  broadcast.for_each<2>([&](std::size_t i, const auto& at) {
    const std::int32_t value = x[at[0]] - from.zero_point;
    const std::int64_t scaled =
        value >= 0 ? scale(value, positive) : scale(value * (a[at[1]] - by.zero_point), negative);
    out[i] = clamped<T>(scaled + to.zero_point);
  });
  return {};
}

Result<void> prelu(Call& call) {
  MACAW_ASSIGN(const Tensor* in, call.input(0));
  MACAW_ASSIGN(const Tensor* alpha, call.input(1));
  MACAW_CHECK(expect(call.output(), in->dtype(), "the output"));
  if (in->dtype() == DType::kINT16) {
    MACAW_CHECK(expect(*alpha, DType::kINT8, "alpha"));
    return quantized<std::int16_t, std::int8_t>(call);
  }
  MACAW_CHECK(expect(*alpha, in->dtype(), "alpha"));
  switch (in->dtype()) {
    case DType::kFP32: return binary<float, float>(call, [](float x, float a) { return x >= 0 ? x : x * a; });
    case DType::kINT8: return quantized<std::int8_t, std::int8_t>(call);
    case DType::kUINT8: return quantized<std::uint8_t, std::uint8_t>(call);
    default: return unsupported_type(in->dtype());
  }
}

}  // namespace

extern constexpr Definition kDefinition = {"PRELU", 2, 2, 1, 1, prelu};

}  // namespace macaw::tflite::PRELU
