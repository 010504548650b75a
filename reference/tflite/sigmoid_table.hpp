#pragma once
#include <cstdint>

namespace macaw::tflite {

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

}  // namespace macaw::tflite
