#include "reference/tflite/quantization.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

namespace macaw::tflite {

Result<Affine> affine(const Operand& operand) {
  const auto* q = operand.quantization;
  if (!q || q->scale.size() != 1 || q->zero_point.size() > 1)
    return unsupported("a tensor does not have exactly one scale and zero point");
  const float scale = q->scale[0];
  if (!(scale > 0) || !std::isfinite(scale)) return invalid(fmt::format("a scale of {}", scale));
  const std::int64_t zero_point = q->zero_point.empty() ? 0 : q->zero_point[0];
  MACAW_ASSIGN(const Range range, range_of(operand.value->dtype()));
  if (zero_point < range.min || zero_point > range.max)
    return invalid(fmt::format("zero point {} of a tensor of {}", zero_point, to_string(operand.value->dtype())));
  return Affine{scale, static_cast<std::int32_t>(zero_point)};
}

Result<void> expect_same_quantization(const Operand& a, const Operand& b) {
  if (!a.quantization || !b.quantization) return {};
  if (a.quantization->scale == b.quantization->scale && a.quantization->zero_point == b.quantization->zero_point)
    return {};
  return unsupported("input and output are quantised differently");
}

Result<Range> range_of(DType dtype) {
  switch (dtype) {
    case DType::kINT4: return Range{-8, 7};
    case DType::kINT8: return Range{-128, 127};
    case DType::kUINT8: return Range{0, 255};
    case DType::kINT16: return Range{-32768, 32767};
    case DType::kINT32:
      return Range{std::numeric_limits<std::int32_t>::min(), std::numeric_limits<std::int32_t>::max()};
    default: return unsupported_type(dtype);
  }
}

// lite/kernels/kernel_util.cc, CalculateActivationRangeQuantized: the division is in single precision.
Result<Range> activation_range(schema::ActivationFunctionType activation, DType dtype, Affine output) {
  using enum schema::ActivationFunctionType;
  MACAW_ASSIGN(Range range, range_of(dtype));
  const auto quantized = [&](float real) {
    const double steps = double{std::round(real / output.scale)} + output.zero_point;
    return static_cast<std::int32_t>(std::clamp(steps, double(range.min), double(range.max)));
  };
  switch (activation) {
    case NONE: return range;
    case RELU: return Range{quantized(0), range.max};
    case RELU6: return Range{quantized(0), quantized(6)};
    case RELU_N1_TO_1: return Range{quantized(-1), quantized(1)};
    default: return unsupported(fmt::format("fused activation {}", static_cast<int>(activation)));
  }
}

Result<FloatRange> activation_range(schema::ActivationFunctionType activation) {
  using enum schema::ActivationFunctionType;
  constexpr float kMax = std::numeric_limits<float>::max();
  switch (activation) {
    case NONE: return FloatRange{-kMax, kMax};
    case RELU: return FloatRange{0, kMax};
    case RELU6: return FloatRange{0, 6};
    case RELU_N1_TO_1: return FloatRange{-1, 1};
    default: return unsupported(fmt::format("fused activation {}", static_cast<int>(activation)));
  }
}

// lite/kernels/kernel_util.cc, PopulateConvolutionQuantizationParams.
Result<std::vector<FixedMultiplier>> channel_multipliers(Affine input, const Operand& filter, Affine output,
                                                         std::int64_t channels, std::size_t axis) {
  const auto* q = filter.quantization;
  if (!q) return unsupported("the filter has no scale");
  const bool is_per_channel = q->scale.size() > 1;
  if (is_per_channel &&
      (static_cast<std::int64_t>(q->scale.size()) != channels || q->dimension != static_cast<std::int32_t>(axis)))
    return invalid(fmt::format("{} scales along axis {} for {} channels", q->scale.size(), q->dimension, channels));
  std::vector<FixedMultiplier> result;
  for (std::int64_t i = 0; i < (is_per_channel ? channels : 1); ++i) {
    const double scale = q->scale[static_cast<std::size_t>(i)];
    MACAW_ASSIGN(const auto multiplier, fixed_multiplier(double{input.scale} * scale / double{output.scale}));
    result.push_back(multiplier);
  }
  result.resize(static_cast<std::size_t>(channels), result.front());
  return result;
}

}  // namespace macaw::tflite
