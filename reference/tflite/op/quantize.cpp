#include "reference/tflite/quantization.hpp"

#include <algorithm>
#include <cmath>

namespace macaw::tflite::QUANTIZE {
namespace {

// tensorflow/tflite-micro @90b983c2b tensorflow/lite/kernels/internal/reference/quantize.h: the division is in single
// precision.
template <class T>
void from_float(const Tensor& in, Affine to, Tensor& out) {
  const auto from = in.data<float>();
  std::transform(from.begin(), from.end(), out.data<T>().begin(), [&](float value) {
    const float steps = std::round(value / to.scale);
    constexpr float kLimit = 2147483648.0F;
    if (std::isnan(steps)) return clamped<T>(to.zero_point);
    if (std::abs(steps) >= kLimit)
      return clamped<T>(steps < 0 ? std::numeric_limits<std::int32_t>::min()
                                  : std::numeric_limits<std::int32_t>::max());
    return clamped<T>(std::int64_t{static_cast<std::int32_t>(steps)} + to.zero_point);
  });
}

// tensorflow/lite/kernels/internal/reference/requantize.h.
template <class From, class To>
void from_integer(const Tensor& in, Affine a, FixedMultiplier ratio, Affine b, Tensor& out) {
  const auto from = in.data<From>();
  std::transform(from.begin(), from.end(), out.data<To>().begin(), [&](From value) {
    const auto offset = static_cast<std::int32_t>(std::int64_t{value} - a.zero_point);
    return clamped<To>(std::int64_t{scale(offset, ratio)} + b.zero_point);
  });
}

Result<void> quantize(Call& call) {
  MACAW_ASSIGN(const Tensor* in, call.input(0));
  Tensor& out = call.output();
  MACAW_CHECK(expect(out, in->shape(), "the output"));
  MACAW_ASSIGN(const Affine to, affine(call.outputs[0]));
  if (in->dtype() == DType::kFP32)
    return with_integer(out.dtype(), [&]<class T>(T) -> Result<void> {
      from_float<T>(*in, to, out);
      return {};
    });
  MACAW_ASSIGN(const Affine from, affine(call.inputs[0]));
  MACAW_ASSIGN(const FixedMultiplier ratio, fixed_multiplier(double{from.scale} / double{to.scale}));
  return with_integer(in->dtype(), [&]<class From>(From) {
    return with_integer(out.dtype(), [&]<class To>(To) -> Result<void> {
      from_integer<From, To>(*in, from, ratio, to, out);
      return {};
    });
  });
}

}  // namespace

extern constexpr Definition kDefinition = {"QUANTIZE", 1, 1, 1, 1, quantize};

}  // namespace macaw::tflite::QUANTIZE
