#include <macaw/quantised_values.hpp>

#include <algorithm>
#include <cmath>
#include <limits>

#include <fmt/format.h>

namespace macaw {
namespace {

/// Slices of a tensor that have a scale each: `outer` times, each of `inner` elements.
struct Slices {
  std::size_t count = 1, inner = 1;
};

Result<Slices> slices(const Shape& shape, const Quantization& quantization) {
  const auto scales = quantization.scale.size(), zeros = quantization.zero_point.size();
  const auto invalid = [&](const std::string& what) {
    return fail(ErrorCode::kInvalidGraph, fmt::format("{} for a tensor of shape {}", what, to_string(shape)));
  };
  Slices result{scales, 1};
  if (scales == 0) return invalid("a quantisation without a scale");
  if (zeros > 1 && zeros != scales) return invalid(fmt::format("{} zero points and {} scales", zeros, scales));
  if (scales == 1) {
    for (const auto extent : shape) result.inner *= static_cast<std::size_t>(extent);
    return result;
  }
  // With one axis there is no choice; some converters name another axis for biases.
  const auto axis = shape.size() == 1 ? 0 : quantization.dimension;
  if (axis < 0 || static_cast<std::size_t>(axis) >= shape.size() ||
      static_cast<std::size_t>(shape[static_cast<std::size_t>(axis)]) != scales)
    return invalid(fmt::format("{} scales along axis {}", scales, axis));
  for (auto i = static_cast<std::size_t>(axis) + 1; i < shape.size(); ++i)
    result.inner *= static_cast<std::size_t>(shape[i]);
  return result;
}

/// Calls f(first element, elements, scale, zero point) for all runs of one scale.
template <class F>
void for_each_run(std::size_t size, const Slices& slices, const Quantization& q, F&& f) {
  if (slices.inner == 0) return;
  for (std::size_t at = 0, slice = 0; at < size; at += slices.inner, slice = (slice + 1) % slices.count)
    f(at, std::min(slices.inner, size - at), double{q.scale[slice]},
      q.zero_point.empty() ? 0 : q.zero_point[q.zero_point.size() == 1 ? 0 : slice]);
}

template <class T>
void to_float(const Tensor& tensor, const Slices& slices, const Quantization& q, Tensor& out) {
  const auto from = tensor.data<T>();
  const auto to = out.uninitialized_data<float>();
  for_each_run(from.size(), slices, q, [&](std::size_t at, std::size_t count, double scale, std::int64_t zero) {
    for (std::size_t i = at; i < at + count; ++i)
      to[i] = static_cast<float>(scale * (static_cast<double>(from[i]) - static_cast<double>(zero)));
  });
}

template <class T>
void from_float(const Tensor& tensor, const Slices& slices, const Quantization& q, Tensor& out) {
  const auto from = tensor.data<float>();
  const auto to = out.uninitialized_data<T>();
  constexpr double kLeast = std::numeric_limits<T>::min(), kMost = std::numeric_limits<T>::max();
  for_each_run(from.size(), slices, q, [&](std::size_t at, std::size_t count, double scale, std::int64_t zero) {
    for (std::size_t i = at; i < at + count; ++i) {
      const double steps = std::round(from[i] / static_cast<float>(scale)) + static_cast<double>(zero);
      to[i] = static_cast<T>(std::isnan(steps) ? std::clamp(static_cast<double>(zero), kLeast, kMost)
                                               : std::clamp(steps, kLeast, kMost));
    }
  });
}

auto unsupported(DType dtype) {
  return fail(ErrorCode::kUnsupported, fmt::format("elements of type {} with a scale", to_string(dtype)));
}

}  // namespace

Result<Tensor> dequantised(const Tensor& tensor, const Quantization& quantization) {
  MACAW_ASSIGN(const auto parts, slices(tensor.shape(), quantization));
  MACAW_ASSIGN(auto out, Tensor::create(DType::kFP32, tensor.shape(), TensorMemory::ZeroFill::kLazy));
  switch (tensor.dtype()) {
    case DType::kINT4:
    case DType::kINT8: to_float<std::int8_t>(tensor, parts, quantization, out); break;
    case DType::kUINT8: to_float<std::uint8_t>(tensor, parts, quantization, out); break;
    case DType::kINT16: to_float<std::int16_t>(tensor, parts, quantization, out); break;
    case DType::kINT32: to_float<std::int32_t>(tensor, parts, quantization, out); break;
    case DType::kINT64: to_float<std::int64_t>(tensor, parts, quantization, out); break;
    default: return unsupported(tensor.dtype());
  }
  return out;
}

Result<Tensor> quantised(const Tensor& tensor, const Quantization& quantization, DType dtype) {
  if (tensor.dtype() != DType::kFP32) return unsupported(tensor.dtype());
  MACAW_ASSIGN(const auto parts, slices(tensor.shape(), quantization));
  MACAW_ASSIGN(auto out, Tensor::create(dtype, tensor.shape(), TensorMemory::ZeroFill::kLazy));
  switch (dtype) {
    case DType::kINT8: from_float<std::int8_t>(tensor, parts, quantization, out); break;
    case DType::kUINT8: from_float<std::uint8_t>(tensor, parts, quantization, out); break;
    case DType::kINT16: from_float<std::int16_t>(tensor, parts, quantization, out); break;
    default: return unsupported(dtype);
  }
  return out;
}

}  // namespace macaw
