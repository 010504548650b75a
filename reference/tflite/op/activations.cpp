#include <algorithm>
#include <cmath>

#include "reference/tflite/elementwise.hpp"
#include "reference/tflite/function_tables.hpp"

// tensorflow/tflite-micro @90b983c2b tensorflow/lite/micro/kernels/{activations.cc,activations_common.cc,
// leaky_relu_common.cc,prelu_common.cc,hard_swish_common.cc,elu.cc}, tensorflow/lite/kernels/internal/reference/
// {leaky_relu.h,prelu.h,hard_swish.h,elu.h}; GELU: tensorflow/tensorflow tensorflow/lite/kernels/gelu.cc and
// tensorflow/lite/kernels/internal/reference/gelu.h.
namespace macaw::tflite::activations {
namespace {

using schema::ActivationFunctionType;

/// Input scaled to the output and clamped: floats, or integers of the output, from the least that `low` leaves to the
/// largest that `high` does.
Result<void> clamped_activation(Call& call, ActivationFunctionType low, ActivationFunctionType high) {
  MACAW_ASSIGN(const DType dtype, same_type_and_shape(call));
  if (dtype == DType::kFP32) {
    MACAW_ASSIGN(FloatRange range, activation_range(high));
    MACAW_ASSIGN(const FloatRange least, activation_range(low));
    range.min = least.min;
    if (high == ActivationFunctionType::RELU) range.max = std::numeric_limits<float>::infinity();
    return unary<float, float>(call, [=](float x) {
      return x > range.max ? range.max : x < range.min ? range.min : x;
    });
  }
  if (!is_quantized(dtype)) return unsupported_type(dtype);
  MACAW_ASSIGN(const Affine from, affine(call.inputs[0]));
  MACAW_ASSIGN(const Affine to, affine(call.outputs[0]));
  MACAW_ASSIGN(Range range, activation_range(high, dtype, to));
  MACAW_ASSIGN(const Range least, activation_range(low, dtype, to));
  range.min = least.min;
  // The ratio is in single precision.
  MACAW_ASSIGN(const auto ratio, fixed_multiplier(double{from.scale / to.scale}));
  return with_quantized(dtype, [&]<class T>(T) {
    return unary<T, T>(call, [&](T x) {
      const std::int64_t scaled = std::int64_t{scale(x - from.zero_point, ratio)} + to.zero_point;
      return static_cast<T>(std::clamp<std::int64_t>(scaled, range.min, range.max));
    });
  });
}

template <ActivationFunctionType kLow, ActivationFunctionType kHigh = kLow>
Result<void> clamped_activation(Call& call) {
  return clamped_activation(call, kLow, kHigh);
}

// Values are clamped without rescaling if input and output have the same quantisation, and rescaled otherwise
// (tensorflow/tensorflow @005a9893e tensorflow/lite/kernels/activations.cc, QuantizedReluX); TFLM clamps without
// rescaling.
Result<void> relu6(Call& call) {
  if (call.inputs[0].quantization && call.outputs[0].quantization &&
      !expect_same_quantization(call.inputs[0], call.outputs[0]))
    return clamped_activation<ActivationFunctionType::RELU6>(call);
  MACAW_ASSIGN(const DType dtype, same_type_and_shape(call));
  if (dtype == DType::kFP32) return clamped_activation<ActivationFunctionType::RELU6>(call);
  MACAW_ASSIGN(const Affine from, affine(call.inputs[0]));
  MACAW_ASSIGN(const Range range, activation_range(ActivationFunctionType::RELU6, dtype, from));
  return with_quantized(dtype, [&]<class T>(T) {
    return unary<T, T>(call, [&](T x) { return static_cast<T>(std::clamp<std::int32_t>(x, range.min, range.max)); });
  });
}

Result<void> leaky_relu(Call& call) {
  MACAW_ASSIGN(const auto* options, call.options_as<schema::LeakyReluOptionsT>());
  const float alpha = options->alpha;
  MACAW_ASSIGN(const DType dtype, same_type_and_shape(call));
  if (dtype == DType::kFP32) return unary<float, float>(call, [&](float x) { return x > 0 ? x : x * alpha; });
  MACAW_ASSIGN(const Affine from, affine(call.inputs[0]));
  MACAW_ASSIGN(const Affine to, affine(call.outputs[0]));
  // The products are in single precision.
  MACAW_ASSIGN(const auto negative, fixed_multiplier(std::abs(double{from.scale * alpha / to.scale})));
  MACAW_ASSIGN(const auto positive, fixed_multiplier(double{from.scale / to.scale}));
  return with_quantized(dtype, [&]<class T>(T) {
    return unary<T, T>(call, [&](T x) {
      const std::int32_t value = x - from.zero_point;
      std::int64_t scaled = scale(value, value >= 0 ? positive : negative);
      if (value < 0 && alpha < 0) scaled = -scaled;
      return clamped<T>(scaled + to.zero_point);
    });
  });
}

template <class T, class A>
Result<void> quantized_prelu(Call& call) {
  const Tensor &in = *call.inputs[0].value, &alpha = *call.inputs[1].value;
  MACAW_ASSIGN(const Affine from, affine(call.inputs[0]));
  MACAW_ASSIGN(const Affine by, affine(call.inputs[1]));
  MACAW_ASSIGN(const Affine to, affine(call.outputs[0]));
  MACAW_ASSIGN(const auto positive, fixed_multiplier(double{from.scale} / double{to.scale}));
  MACAW_ASSIGN(const auto negative, fixed_multiplier(double{from.scale} * double{by.scale} / double{to.scale}));
  MACAW_ASSIGN(const auto broadcast, Broadcast::create({in.shape(), alpha.shape()}, call.output().shape()));
  const auto x = in.data<T>();
  const auto a = alpha.data<A>();
  const auto out = call.output().uninitialized_data<T>();
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
    return quantized_prelu<std::int16_t, std::int8_t>(call);
  }
  MACAW_CHECK(expect(*alpha, in->dtype(), "alpha"));
  switch (in->dtype()) {
    case DType::kFP32: return binary<float, float>(call, [](float x, float a) { return x >= 0 ? x : x * a; });
    case DType::kINT8: return quantized_prelu<std::int8_t, std::int8_t>(call);
    case DType::kUINT8: return quantized_prelu<std::uint8_t, std::uint8_t>(call);
    default: return unsupported_type(in->dtype());
  }
}

/// High half of 2 * a * b, halves up.
std::int16_t doubling_high_mul16(std::int16_t a, std::int16_t b) {
  if (a == -32768 && b == -32768) return 32767;
  const std::int32_t product = std::int32_t{a} * b;
  return static_cast<std::int16_t>((product + (product >= 0 ? 1 << 14 : 1 - (1 << 14))) / (1 << 15));
}

std::int16_t rounding_shift16(std::int16_t x, int by) { return static_cast<std::int16_t>(rounding_shift(x, by)); }

/// A multiplier of 16 bits, as DownScaleInt32ToInt16Multiplier makes it.
std::int16_t narrowed(std::int32_t multiplier) {
  return multiplier >= 0x7FFF8000 ? std::int16_t{32767} : static_cast<std::int16_t>((multiplier + (1 << 15)) >> 16);
}

struct HardSwishScales {
  FixedMultiplier output, reluish;
};

template <class T>
T hard_swish_of(T x, std::int32_t in_zero, const HardSwishScales& s, std::int32_t out_zero) {
  const auto hires = static_cast<std::int16_t>((x - in_zero) * (1 << 7));
  const std::int16_t on_output_scale = doubling_high_mul16(hires, narrowed(s.output.multiplier));
  // 3.0 is 2^15 on this scale; the last bit of a shift to the left saturates.
  std::int16_t reluish = hires;
  if (s.reluish.shift > 0)
    reluish = clamped<std::int16_t>(std::int64_t{reluish} * (std::int64_t{1} << (s.reluish.shift - 1)));
  reluish = doubling_high_mul16(reluish, narrowed(s.reluish.multiplier));
  if (s.reluish.shift > 0) reluish = clamped<std::int16_t>(std::int64_t{reluish} * 2);
  if (s.reluish.shift < 0) reluish = rounding_shift16(reluish, -s.reluish.shift);
  reluish = static_cast<std::int16_t>((reluish + (1 << 15)) >> 1);
  const auto product = static_cast<std::int16_t>(std::int32_t{reluish} * on_output_scale / (1 << 15));
  return clamped<T>(std::int64_t{rounding_shift16(product, -s.output.shift)} + out_zero);
}

Result<void> hard_swish(Call& call) {
  MACAW_ASSIGN(const DType dtype, same_type_and_shape(call));
  if (dtype == DType::kFP32)
    return unary<float, float>(call, [](float x) { return x * std::min(6.0F, std::max(0.0F, x + 3)) / 6; });
  MACAW_ASSIGN(const Affine from, affine(call.inputs[0]));
  MACAW_ASSIGN(const Affine to, affine(call.outputs[0]));
  const float hires = (1.0F / 128.0F) * from.scale, reluish = 3.0F / 32768.0F;
  HardSwishScales s;
  MACAW_ASSIGN(s.output, fixed_multiplier(double{hires / to.scale}));
  MACAW_ASSIGN(s.reluish, fixed_multiplier(double{hires / reluish}));
  if (s.output.shift > 0) return unsupported("an output whose scale is a 128th of the input's or less");
  const auto run = [&]<class T>(T) {
    return unary<T, T>(call, [&](T x) { return hard_swish_of<T>(x, from.zero_point, s, to.zero_point); });
  };
  if (dtype == DType::kINT8) return run(std::int8_t{});
  if (dtype == DType::kUINT8) return run(std::uint8_t{});
  return unsupported_type(dtype);
}

float rounded_elu(float x) { return x < 0 ? std::exp(x) - 1.0F : x; }

Result<void> elu(Call& call) {
  MACAW_ASSIGN(const DType dtype, same_type_and_shape(call));
  if (dtype == DType::kFP32) return unary<float, float>(call, [](float x) { return x < 0 ? std::expm1(x) : x; });
  return dtype == DType::kINT8 ? function_of_bytes<std::int8_t>(call, rounded_elu)
                               : Result<void>(unsupported_type(dtype));
}

constexpr double kRootOfHalf = 0.70710678118654752440, kTwoByRootOfPi = 1.12837916709551257390;

float exact_gelu(float x) { return 0.5F * x * std::erfc(x * static_cast<float>(-kRootOfHalf)); }

float approximate_gelu(float x) {
  constexpr auto kFactor = static_cast<float>(kTwoByRootOfPi * kRootOfHalf);
  return 0.5F * x * (1.0F + std::tanh(kFactor * (x + 0.044715F * x * x * x)));
}

Result<void> gelu(Call& call) {
  MACAW_ASSIGN(const DType dtype, same_type_and_shape(call));
  const auto f = call.options_or_default<schema::GeluOptionsT>().approximate ? approximate_gelu : exact_gelu;
  switch (dtype) {
    case DType::kFP32: return unary<float, float>(call, f);
    case DType::kINT8: return function_of_bytes<std::int8_t>(call, f);
    case DType::kUINT8: return function_of_bytes<std::uint8_t>(call, f);
    default: return unsupported_type(dtype);
  }
}

constexpr Definition kDefinitions[] = {
    {"RELU", 1, 1, 1, 1, clamped_activation<ActivationFunctionType::RELU>, kElementwise},
    {"RELU6", 1, 1, 1, 1, relu6, kElementwise},
    {"RELU_0_TO_1", 1, 1, 1, 1, clamped_activation<ActivationFunctionType::RELU, ActivationFunctionType::RELU_N1_TO_1>,
     kElementwise},
    {"RELU_N1_TO_1", 1, 1, 1, 1, clamped_activation<ActivationFunctionType::RELU_N1_TO_1>, kElementwise},
    {"LEAKY_RELU", 1, 1, 1, 1, leaky_relu, kElementwise},
    {"PRELU", 2, 2, 1, 1, prelu, kElementwise},
    {"HARD_SWISH", 1, 1, 1, 1, hard_swish, kElementwise},
    {"ELU", 1, 1, 1, 1, elu, kElementwise},
    {"GELU", 1, 1, 1, 1, gelu, kElementwise},
};

}  // namespace

extern constexpr Operators kOperators = kDefinitions;

}  // namespace macaw::tflite::activations
