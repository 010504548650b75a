#pragma once
#include <array>
#include <cmath>

#include "reference/tflite/elementwise.hpp"
#include "reference/tflite/quantization.hpp"

// Functions of quantised values by tables, computed in single precision throughout: tensorflow/tflite-micro @90b983c2b
// tensorflow/lite/kernels/internal/common.h, LUTPopulate and LUTLookup.
namespace macaw::tflite {

/// Values of a function at 513 places of the range of int16, between which it has lines.
using FunctionLines = std::array<std::int16_t, 513>;

template <class F>
[[nodiscard]] FunctionLines function_lines(Affine from, Affine to, F&& f) {
  constexpr float kLow = -32768, kHigh = 32767;
  constexpr int kSteps = 512;
  const auto end = [](Affine of, std::int32_t value) { return of.scale * static_cast<float>(value - of.zero_point); };
  const float first = end(from, -32768), last = end(from, 32767);
  const float step = (last - first) / kSteps, half_step = step / 2;
  const float steps_of_one = 65536.0F / (end(to, 32767) - end(to, -32768));
  const auto clamped = [&](float value) { return static_cast<std::int16_t>(std::clamp(value, kLow, kHigh)); };
  FunctionLines values{};
  for (int i = 0; i < kSteps; ++i) {
    const auto at = static_cast<float>(i), next = static_cast<float>(i + 1);
    const float value = std::round(f(first + at * step) * steps_of_one);
    const float middle = std::round((f(first + next * step) * steps_of_one + value) / 2);
    const float error = middle - std::round(f(first + at * step + half_step) * steps_of_one);
    values[static_cast<std::size_t>(i)] = clamped(value - std::round(error / 2));
  }
  values[kSteps] = clamped(std::round(f(last) * steps_of_one));
  return values;
}

[[nodiscard]] std::int16_t on_lines(const FunctionLines& lines, std::int32_t x);

/// out = f(in) of bytes, which the caller has checked.
template <class T, class F>
[[nodiscard]] Result<void> function_of_bytes(Call& call, F&& f) {
  MACAW_ASSIGN(const Affine from, affine(call.inputs[0]));
  MACAW_ASSIGN(const Affine to, affine(call.outputs[0]));
  const float inverse = 1 / to.scale;
  return unary<T, T>(call, [&](T x) {
    const float real = from.scale * static_cast<float>(x - from.zero_point);
    const float steps = std::round(f(real) * inverse) + static_cast<float>(to.zero_point);
    return static_cast<T>(std::clamp(steps, static_cast<float>(std::numeric_limits<T>::min()),
                                     static_cast<float>(std::numeric_limits<T>::max())));
  });
}

/// The same of int16 without zero points.
template <class F>
[[nodiscard]] Result<void> function_of_int16(Call& call, F&& f) {
  MACAW_ASSIGN(const Affine from, affine(call.inputs[0]));
  MACAW_ASSIGN(const Affine to, affine(call.outputs[0]));
  if (from.zero_point != 0 || to.zero_point != 0) return unsupported("int16 with a zero point");
  const auto lines = function_lines(from, to, f);
  return unary<std::int16_t, std::int16_t>(call, [&](std::int16_t x) { return on_lines(lines, x); });
}

/// 1 / (1 + exp(-x)), cut off at both ends as in tensorflow/lite/kernels/internal/reference/logistic.h.
[[nodiscard]] float float_logistic(float x);

/// 2^15 / (1 + exp(-x)) of 16-bit values, and 2^15 tanh(x). A value times `multiplier`, shifted to the right by `shift`
/// with a half added, is x with a unit of 1 / (3 * 2^12); a multiplier of 0 stands for 3 * 2^shift. Source:
/// tensorflow/tflite-micro @90b983c2b tensorflow/lite/kernels/internal/reference/integer_ops/{logistic.h,tanh.h}.
struct SigmoidScale {
  std::int32_t multiplier = 0;
  int shift = 0;
};
[[nodiscard]] std::int16_t logistic16(std::int16_t value, SigmoidScale scale);
[[nodiscard]] std::int16_t tanh16(std::int16_t value, SigmoidScale scale);

/// From the scale of the input: a power of two that needs a shift of 0 to `most_shift` is taken as it is.
[[nodiscard]] SigmoidScale sigmoid_scale(float input_scale, int most_shift);

/// Whether a scale is a power of two to a thousandth, as the kernels test it, and which: round(log2(scale)).
[[nodiscard]] bool is_power_of_two(float scale, int& exponent);

/// Every value of INT8, UINT8 or INT16, from the least on; `least` in place of lower ones.
[[nodiscard]] Tensor all_values(DType dtype, std::int64_t least);

}  // namespace macaw::tflite
