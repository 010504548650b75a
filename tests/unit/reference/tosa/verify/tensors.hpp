#pragma once
#include <macaw/tensor.hpp>

#include <algorithm>
#include <cmath>
#include <initializer_list>
#include <limits>
#include <stdexcept>
#include <vector>

#include "reference/tosa/verify/float_format.hpp"

namespace macaw::tosa::test {

inline constexpr double kInf = std::numeric_limits<double>::infinity();
inline constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

template <class T>
Tensor tensor(DType dtype, const std::vector<T>& values, Shape shape = {}) {
  if (shape.empty()) shape = {static_cast<std::int64_t>(values.size())};
  Tensor t(dtype, shape);
  std::copy(values.begin(), values.end(), t.template data<T>().begin());
  return t;
}

inline Tensor fp64(const std::vector<double>& values) { return tensor(DType::kFP64, values); }
inline Tensor fp32(const std::vector<float>& values) { return tensor(DType::kFP32, values); }

/// The bits of a number that the format holds exactly, or of a NaN.
inline std::uint32_t encode(const verify::FloatFormat& format, double value) {
  const std::uint32_t sign = std::signbit(value) ? 1U << (format.mantissa_bits + format.exponent_bits) : 0;
  // Patterns of one sign are in the order of their numbers, NaNs last.
  const std::uint32_t last = (1U << (format.mantissa_bits + format.exponent_bits)) - 1;
  if (std::isnan(value)) return last;
  std::uint32_t low = 0, high = last;
  while (low < high) {
    const std::uint32_t middle = low + (high - low) / 2;
    if (verify::decode(format, middle) < std::abs(value)) low = middle + 1;
    else if (verify::decode(format, middle) == std::abs(value)) low = high = middle;
    else high = middle;
  }
  if (verify::decode(format, low) != std::abs(value))
    throw std::invalid_argument("the format does not hold the number");
  return sign | low;
}

/// One number in a type narrower than FP32.
inline Tensor narrow(DType dtype, double value) {
  const auto bits = encode(*verify::find_format(dtype), value);
  if (size_of(dtype) == 1) return tensor<std::uint8_t>(dtype, {static_cast<std::uint8_t>(bits)});
  return tensor<std::uint16_t>(dtype, {static_cast<std::uint16_t>(bits)});
}

}  // namespace macaw::tosa::test
