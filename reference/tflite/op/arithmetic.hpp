#pragma once
#include "reference/tflite/elementwise.hpp"
#include "reference/tflite/quantization.hpp"

namespace macaw::tflite {

struct SumScales {
  FixedMultiplier a, b, out;
};

/// Multipliers from the scales of a, b and the output, each above 0 and below 1, for operands shifted to the left by
/// `left_shift`.
using ScalesOf = Result<SumScales> (*)(float a, float b, float out, int left_shift);
[[nodiscard]] Result<SumScales> add_scales(float a, float b, float out, int left_shift);
[[nodiscard]] Result<SumScales> sub_scales(float a, float b, float out, int left_shift);

/// Here the multiplier of the output, for squares of operands so shifted, may be 1 or more.
[[nodiscard]] Result<SumScales> squared_difference_scales(float a, float b, float out, int left_shift);

/// Bits that operands are shifted to the left before they are scaled: 17 by 15, or 9 by 20, fit 32.
[[nodiscard]] constexpr int sum_left_shift(DType dtype) { return dtype == DType::kINT16 ? 15 : 20; }

}  // namespace macaw::tflite
