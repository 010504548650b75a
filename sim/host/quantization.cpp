#include "sim/host/quantization.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

namespace macaw::npu::host {
namespace {

template <class T>
constexpr Range kRange{std::numeric_limits<T>::min(), std::numeric_limits<T>::max()};

}  // namespace

Result<Range> range_of(DType dtype) {
  Range range{};
  MACAW_CHECK(with_integer(dtype, [&]<class T>(T) -> Result<void> {
    range = kRange<T>;
    return {};
  }));
  return range;
}

Result<Affine> affine(const TensorBinding& binding) {
  const auto* q = binding.quantization.get();
  if (!q || q->scale.empty()) return invalid(fmt::format("tensor '{}' has no scale", binding.name));
  if (q->scale.size() > 1 || q->zero_point.size() > 1)
    return unsupported(fmt::format("tensor '{}' has a scale per channel", binding.name));
  const std::int64_t zero_point = q->zero_point.empty() ? 0 : q->zero_point[0];
  if (!(q->scale[0] > 0) || !std::isfinite(q->scale[0]))
    return invalid(fmt::format("tensor '{}' has scale {}", binding.name, q->scale[0]));
  MACAW_ASSIGN(const Range range, range_of(binding.dtype.value_or(DType::kFP32)));
  if (zero_point < range.min || zero_point > range.max)
    return invalid(fmt::format("tensor '{}' has zero point {}", binding.name, zero_point));
  return Affine{q->scale[0], static_cast<std::int32_t>(zero_point)};
}

// tensorflow/tflite-micro tensorflow/lite/kernels/kernel_util.cc, CalculateActivationRangeQuantized.
Result<Range> activation_range(HostActivation activation, DType dtype, Affine output) {
  MACAW_ASSIGN(Range range, range_of(dtype));
  const auto quantized = [&](float value) {
    const double steps = std::round(value / output.scale) + output.zero_point;
    return static_cast<std::int32_t>(std::clamp<double>(steps, range.min, range.max));
  };
  switch (activation) {
    case HostActivation::kNone: return range;
    case HostActivation::kRelu: return Range{quantized(0), range.max};
    case HostActivation::kRelu6: return Range{quantized(0), quantized(6)};
    case HostActivation::kReluN1To1: return Range{quantized(-1), quantized(1)};
    default: return unsupported(fmt::format("fused activation {}", static_cast<int>(activation)));
  }
}

}  // namespace macaw::npu::host
