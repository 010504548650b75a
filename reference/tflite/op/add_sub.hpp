#pragma once
#include "reference/tflite/broadcast.hpp"
#include "reference/tflite/quantization.hpp"

namespace macaw::tflite {

struct SumScales {
  FixedMultiplier a, b, out;
};
/// Each of them above 0 and below 1.
[[nodiscard]] Result<SumScales> sum_scales(double a, double b, double out);

/// Multipliers from the scales of a, b and the output, for operands shifted to the left by `left_shift`.
using ScalesOf = Result<SumScales> (*)(float a, float b, float out, int left_shift);

/// a + b, or a - b with `sign` -1: quantised, int32 or float32.
[[nodiscard]] Result<void> add_or_sub(Call& call, schema::ActivationFunctionType activation, int sign,
                                      ScalesOf scales_of);

}  // namespace macaw::tflite
