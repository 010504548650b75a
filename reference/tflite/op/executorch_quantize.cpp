#include "reference/tflite/quantization.hpp"

#include <algorithm>
#include <cmath>

// ExecuTorch's conversions around a delegate: pytorch/executorch kernels/quantized/cpu/op_quantize.cpp and
// op_dequantize.cpp. Inputs: the tensor, then scale (fp32), zero point, lowest and highest value (int32). Those of
// backends/cortex_m/ops give the same where they do not use Helium, whose sums round the product once less.
namespace macaw::tflite::executorch_quantize {
namespace {

struct Arguments {
  const Tensor* values = nullptr;
  float scale = 1;
  std::int32_t zero_point = 0, low = 0, high = 0;
};

Result<Arguments> arguments(const Call& call) {
  Arguments out;
  MACAW_ASSIGN(out.values, call.input(0));
  MACAW_ASSIGN(const Tensor* scale, call.input(1));
  MACAW_CHECK(expect(*scale, DType::kFP32, "the scale"));
  MACAW_CHECK(expect(*scale, Shape{1}, "the scale"));
  out.scale = scale->data<float>()[0];
  std::int32_t* const targets[] = {&out.zero_point, &out.low, &out.high};
  for (std::size_t i = 0; i < 3; ++i) {
    MACAW_ASSIGN(const Tensor* number, call.input(2 + i));
    MACAW_CHECK(expect(*number, DType::kINT32, "an argument"));
    MACAW_CHECK(expect(*number, Shape{1}, "an argument"));
    *targets[i] = number->data<std::int32_t>()[0];
  }
  if (!(out.scale > 0) || !std::isfinite(out.scale)) return invalid("the scale is not a positive number");
  MACAW_CHECK(expect(call.output(), out.values->shape(), "the output"));
  return out;
}

/// A half goes to the even neighbour.
double round_to_even(float value) {
  const double down = std::floor(double{value}), rest = double{value} - down;
  if (rest != 0.5) return rest < 0.5 ? down : down + 1;
  return std::fmod(down, 2) == 0 ? down : down + 1;
}

Result<void> quantize(Call& call) {
  MACAW_ASSIGN(const Arguments a, arguments(call));
  MACAW_CHECK(expect(*a.values, DType::kFP32, "the input"));
  MACAW_ASSIGN(const Range range, range_of(call.output().dtype()));
  if (a.low < range.min || a.high > range.max || a.low > a.high)
    return invalid("the range of values does not fit the type of the output");
  const float inverse = 1.0F / a.scale;
  const auto from = a.values->data<float>();
  return with_integer(call.output().dtype(), [&]<class T>(T) -> Result<void> {
    std::transform(from.begin(), from.end(), call.output().data<T>().begin(), [&](float value) {
      // What a value that is no number becomes is undefined there.
      const double steps = std::isnan(value) ? 0 : a.zero_point + round_to_even(inverse * value);
      return static_cast<T>(std::clamp(steps, double(a.low), double(a.high)));
    });
    return {};
  });
}

Result<void> dequantize(Call& call) {
  MACAW_ASSIGN(const Arguments a, arguments(call));
  MACAW_CHECK(expect(call.output(), DType::kFP32, "the output"));
  return with_integer(a.values->dtype(), [&]<class T>(T) -> Result<void> {
    const auto from = a.values->data<T>();
    std::transform(from.begin(), from.end(), call.output().data<float>().begin(),
                   [&](T value) { return static_cast<float>(std::int64_t{value} - a.zero_point) * a.scale; });
    return {};
  });
}

}  // namespace

namespace dequantize_per_tensor {
extern constexpr Definition kDefinition = {"quantized_decomposed::dequantize_per_tensor", 5, 5, 1, 1, dequantize};
}

namespace cortex_m_dequantize_per_tensor {
extern constexpr Definition kDefinition = {"cortex_m::dequantize_per_tensor", 5, 5, 1, 1, dequantize};
}
namespace {

constexpr Definition kDefinitions[] = {
    {"quantized_decomposed::quantize_per_tensor", 5, 5, 1, 1, quantize},
    {"quantized_decomposed::dequantize_per_tensor", 5, 5, 1, 1, dequantize},
    {"cortex_m::quantize_per_tensor", 5, 5, 1, 1, quantize},
    {"cortex_m::dequantize_per_tensor", 5, 5, 1, 1, dequantize},
};

}  // namespace

extern constexpr Operators kOperators = kDefinitions;

}  // namespace macaw::tflite::executorch_quantize
