#include <algorithm>
#include <cmath>

#include "reference/tflite/op/executorch_arguments.hpp"
#include "reference/tflite/quantization.hpp"

// Conversions with a scale for each position along an axis: pytorch/executorch kernels/quantized/cpu/op_quantize.cpp
// and op_dequantize.cpp. Inputs: the tensor, scales, zero points or None, axis, lowest and highest value, and the type.
namespace macaw::tflite::executorch_quantize_channel {
namespace {

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
    const auto to = call.output().data_to_fill<T>();
    for (std::size_t i = 0; i < to.size(); ++i) {
      const auto channel = by.of(i);
      const float inverse = 1.0F / by.scales[channel];
      const double steps = double(std::nearbyint(inverse * from[i])) + static_cast<double>(by.zero_points[channel]);
      // What a value that is no number becomes is undefined there.
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
    const auto to = call.output().data_to_fill<float>();
    for (std::size_t i = 0; i < to.size(); ++i) {
      const auto channel = by.of(i);
      to[i] = static_cast<float>(std::int64_t{from[i]} - by.zero_points[channel]) * by.scales[channel];
    }
    return {};
  });
}

}  // namespace

namespace dequantize_per_channel {
extern constexpr Definition kDefinition = {
    "quantized_decomposed::dequantize_per_channel", 7, 8, 1, 1, dequantize_channels};
}
namespace {

constexpr Definition kDefinitions[] = {
    {"quantized_decomposed::quantize_per_channel", 7, 7, 1, 1, quantize_channels},
    {"quantized_decomposed::dequantize_per_channel", 7, 8, 1, 1, dequantize_channels},
};

}  // namespace

extern constexpr Operators kOperators = kDefinitions;

}  // namespace macaw::tflite::executorch_quantize_channel
