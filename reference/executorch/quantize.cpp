#include "reference/tflite/quantization.hpp"

#include <algorithm>
#include <cmath>

#include "reference/executorch/arguments.hpp"

// ExecuTorch's conversions around a delegate: pytorch/executorch kernels/quantized/cpu/op_quantize.cpp and
// op_dequantize.cpp. Inputs: the tensor, then scale (fp32), zero point, lowest and highest value (int32). Those of
// backends/cortex_m/ops give the same where they do not use Helium, whose sums round the product once less.
namespace macaw::executorch::quantize {
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
      // The result for a NaN is undefined there.
      const double steps = std::isnan(value) ? 0 : a.zero_point + double{std::nearbyint(inverse * value)};
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

// With a scale for each position along an axis. Inputs: the tensor, scales, zero points or None, axis, lowest and
// highest value, and the type.

struct Channels {
  const Tensor* values = nullptr;
  std::vector<float> scales;
  std::vector<std::int64_t> zero_points;
  std::size_t inner = 1;  ///< elements between one channel and the next

  [[nodiscard]] std::size_t of(std::size_t element) const { return element / inner % scales.size(); }
};

Result<std::vector<float>> scales_of(const Tensor& tensor) {
  if (tensor.dtype() == DType::kFP64) {
    const auto wide = tensor.data<double>();
    return std::vector<float>(wide.begin(), wide.end());
  }
  MACAW_CHECK(expect(tensor, DType::kFP32, "the scales"));
  const auto values = tensor.data<float>();
  return std::vector<float>(values.begin(), values.end());
}

Result<Channels> channels(const Call& call) {
  Channels out;
  MACAW_ASSIGN(out.values, call.input(0));
  MACAW_ASSIGN(const Tensor* scales, call.input(1));
  MACAW_ASSIGN(out.scales, scales_of(*scales));
  MACAW_ASSIGN(const auto dim, integer_argument(call, 3));
  MACAW_ASSIGN(const auto axis, normal_axis(dim, out.values->rank()));
  out.zero_points.assign(out.scales.size(), 0);
  if (const auto* zero_points = call.optional_input(2)) {
    MACAW_ASSIGN(out.zero_points, integers(*zero_points, "the zero points"));
  }
  const auto count = static_cast<std::size_t>(out.values->shape()[axis]);
  if (out.scales.size() != count || out.zero_points.size() != count)
    return invalid("not as many scales and zero points as channels");
  out.inner = static_cast<std::size_t>(product(out.values->shape(), axis + 1, out.values->rank()));
  MACAW_CHECK(expect(call.output(), out.values->shape(), "the output"));
  return out;
}

Result<void> quantize_channels(Call& call) {
  MACAW_ASSIGN(const auto by, channels(call));
  MACAW_CHECK(expect(*by.values, DType::kFP32, "the input"));
  MACAW_ASSIGN(const auto low, integer_argument(call, 4));
  MACAW_ASSIGN(const auto high, integer_argument(call, 5));
  MACAW_ASSIGN(const Range range, range_of(call.output().dtype()));
  if (low < range.min || high > range.max || low > high)
    return invalid("the range of values does not fit the type of the output");
  const auto from = by.values->data<float>();
  return with_integer(call.output().dtype(), [&]<class T>(T) -> Result<void> {
    const auto to = call.output().uninitialized_data<T>();
    for (std::size_t i = 0; i < to.size(); ++i) {
      const auto channel = by.of(i);
      const float inverse = 1.0F / by.scales[channel];
      const double steps = double(std::nearbyint(inverse * from[i])) + static_cast<double>(by.zero_points[channel]);
      // The result for a NaN is undefined there.
      to[i] = static_cast<T>(std::isnan(steps) ? low : std::clamp(steps, double(low), double(high)));
    }
    return {};
  });
}

Result<void> dequantize_channels(Call& call) {
  MACAW_ASSIGN(const auto by, channels(call));
  MACAW_CHECK(expect(call.output(), DType::kFP32, "the output"));
  return with_integer(by.values->dtype(), [&]<class T>(T) -> Result<void> {
    const auto from = by.values->data<T>();
    const auto to = call.output().uninitialized_data<float>();
    for (std::size_t i = 0; i < to.size(); ++i) {
      const auto channel = by.of(i);
      to[i] = static_cast<float>(std::int64_t{from[i]} - by.zero_points[channel]) * by.scales[channel];
    }
    return {};
  });
}

constexpr Definition kDefinitions[] = {
    {"quantized_decomposed::quantize_per_tensor", 5, 5, 1, 1, quantize},
    {"quantized_decomposed::dequantize_per_tensor", 5, 5, 1, 1, dequantize},
    {"cortex_m::quantize_per_tensor", 5, 5, 1, 1, quantize},
    {"cortex_m::dequantize_per_tensor", 5, 5, 1, 1, dequantize},
    {"quantized_decomposed::quantize_per_channel", 7, 7, 1, 1, quantize_channels},
    {"quantized_decomposed::dequantize_per_channel", 7, 8, 1, 1, dequantize_channels},
};

}  // namespace

extern constexpr Operators kOperators = kDefinitions;

}  // namespace macaw::executorch::quantize
