#include <algorithm>
#include <cmath>

#include "reference/tflite/elementwise.hpp"

// tensorflow/tflite-micro @90b983c2b tensorflow/lite/micro/kernels/cast.cc, tensorflow/lite/kernels/internal/reference/
// {quantize.h,requantize.h,dequantize.h}.
namespace macaw::tflite::conversion {
namespace {

/// As a conversion does that the language defines; a float that no integer of the type holds is clamped, as its
/// conversion is undefined.
template <class To, class From>
To convert(From value) {
  if constexpr (std::is_floating_point_v<From> && std::is_integral_v<To> && !std::is_same_v<To, bool>) {
    if (std::isnan(value)) return 0;
    constexpr double kMin = static_cast<double>(std::numeric_limits<To>::min());
    constexpr double kMax = static_cast<double>(std::numeric_limits<To>::max());
    if (double{value} <= kMin) return std::numeric_limits<To>::min();
    if (double{value} >= kMax) return std::numeric_limits<To>::max();
  }
  return static_cast<To>(value);
}

Result<void> cast(Call& call) {
  MACAW_ASSIGN(const Tensor* in, same_shape(call));
  return with_number(in->dtype(), [&]<class From>(From) {
    return with_number(call.output().dtype(),
                       [&]<class To>(To) { return unary<From, To>(call, [](From x) { return convert<To>(x); }); });
  });
}

/// As quantize.h: the division is in single precision.
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

/// As requantize.h.
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

/// As dequantize.h: the product is in double precision.
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

constexpr Definition kDefinitions[] = {
    {"CAST", 1, 1, 1, 1, cast, kElementwise},
    {"QUANTIZE", 1, 1, 1, 1, quantize, kElementwise},
    {"DEQUANTIZE", 1, 1, 1, 1, dequantize, kElementwise},
};

}  // namespace

extern constexpr Operators kOperators = kDefinitions;

}  // namespace macaw::tflite::conversion
