#include "reference/tflite/function_tables.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <limits>

namespace macaw::tflite {
namespace {

/// 2^16 / (1 + exp(-i / 24)), rounded: sigmoid_table_uint16 of tensorflow/lite/kernels/internal/common.h, which is one
/// above at the listed places.
std::array<std::uint32_t, 256> make_table() {
  constexpr std::uint8_t kOneAbove[] = {4,  8,  12, 14, 15, 16, 17, 19, 20,  21,  22,  25,  27,  28, 29,
                                        30, 31, 33, 34, 35, 37, 39, 40, 41,  43,  44,  45,  46,  49, 50,
                                        54, 62, 63, 64, 66, 82, 86, 93, 100, 103, 112, 116, 135, 255};
  std::array<std::uint32_t, 256> table{};
  for (std::size_t i = 0; i < table.size(); ++i)
    table[i] = static_cast<std::uint32_t>(std::floor(65536.0 / (1.0 + std::exp(-static_cast<double>(i) / 24.0)) + 0.5));
  for (const auto i : kOneAbove) ++table[i];
  return table;
}

std::uint32_t table(std::uint32_t index) {
  static const auto values = make_table();
  return values[index];
}

/// The value in units of 1 / (3 * 2^12).
std::int32_t rescaled(std::int16_t value, SigmoidScale scale) {
  if (scale.multiplier == 0) return value * (3 << scale.shift);
  const std::int64_t round = scale.shift > 0 ? std::int64_t{1} << (scale.shift - 1) : 0;
  return static_cast<std::int32_t>((std::int64_t{value} * scale.multiplier + round) >> scale.shift);
}

template <class T>
Tensor values_of(DType dtype, std::int64_t least) {
  constexpr std::int64_t kCount = std::int64_t{1} << (8 * sizeof(T));
  Tensor values(dtype, {kCount});
  std::int64_t next = std::numeric_limits<T>::min();
  for (T& value : values.data<T>()) value = static_cast<T>(std::max(next++, least));
  return values;
}

}  // namespace

std::int16_t on_lines(const FunctionLines& lines, std::int32_t x) {
  x = std::clamp(x, -32768, 32767);
  const auto index = static_cast<std::size_t>((x >> 7) + 256);
  const auto slope = static_cast<std::int16_t>(lines[index + 1] - lines[index]);
  return static_cast<std::int16_t>(lines[index] + ((slope * (x & 127) + 64) >> 7));
}

float float_logistic(float x) {
  if (x > 16.619047164916992188F) return 1.0F;
  return x < -9.0F ? std::exp(x) : 1.0F / (1.0F + std::exp(-x));
}

std::int16_t logistic16(std::int16_t value, SigmoidScale scale) {
  const std::int32_t x = rescaled(value, scale);
  const auto magnitude = static_cast<std::uint32_t>(std::abs(x));
  const std::uint32_t at = magnitude >> 9;
  std::uint32_t result = 0x7FFFU << 10;
  if (at < 255) result = (table(at) << 9) + (magnitude & 0x1FF) * (table(at + 1) - table(at));
  result = x >= 0 ? result + (1U << 9) : (1U << 25) - result + (1U << 9) - 1;
  return static_cast<std::int16_t>(result >> 10);
}

std::int16_t tanh16(std::int16_t value, SigmoidScale scale) {
  const std::int32_t x = rescaled(value, scale);
  const auto magnitude = static_cast<std::uint32_t>(std::abs(x));
  const std::uint32_t at = magnitude >> 8;
  std::uint32_t found = 0xFFFFU << 8;
  if (at < 255) found = (table(at) << 8) + (magnitude & 0xFF) * (table(at + 1) - table(at));
  const auto result = static_cast<std::int32_t>(found);
  constexpr std::int32_t kHalf = 1 << 23, kRound = 1 << 7;
  return static_cast<std::int16_t>((x >= 0 ? result - kHalf + kRound : -result + kHalf + kRound - 1) >> 8);
}

SigmoidScale sigmoid_scale(float input_scale, int most_shift) {
  int exponent = 0;
  if (is_power_of_two(input_scale, exponent) && exponent + 12 >= 0 && exponent + 12 <= most_shift)
    return {0, exponent + 12};
  double multiplier = double{input_scale} * 4096.0 * 3.0;
  SigmoidScale scale;
  for (; multiplier <= 32767.0 / 2.0 && scale.shift <= 30; ++scale.shift) multiplier *= 2.0;
  scale.multiplier = static_cast<std::int32_t>(std::min(multiplier, 2147483647.0));
  return scale;
}

bool is_power_of_two(float scale, int& exponent) {
  const float log2 = std::log(scale) * (1.0F / std::log(2.0F)), rounded = std::round(log2);
  exponent = static_cast<int>(rounded);
  return std::abs(log2 - rounded) < 1e-3F;
}

Tensor all_values(DType dtype, std::int64_t least) {
  if (dtype == DType::kINT16) return values_of<std::int16_t>(dtype, least);
  return dtype == DType::kUINT8 ? values_of<std::uint8_t>(dtype, least) : values_of<std::int8_t>(dtype, least);
}

}  // namespace macaw::tflite
