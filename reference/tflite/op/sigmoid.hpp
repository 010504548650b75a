#pragma once
#include "reference/tflite/sigmoid_table.hpp"
#include "reference/tflite/unary.hpp"

namespace macaw::tflite {

/// A function of the kind of LOGISTIC and TANH: of 8-bit values with 4 integer bits in and none out, of 16-bit values,
/// and of floats.
struct Sigmoid {
  std::int32_t (*of_fixed)(std::int32_t);
  std::int16_t (*of_int16)(std::int16_t, SigmoidScale);
  float (*of_float)(float);
  int output_bits = 0;       ///< fraction bits of an 8-bit output
  int least_zero_point = 0;  ///< zero point of an int8 output
  int most_shift = 0;        ///< of 16-bit inputs, for sigmoid_scale()
};
[[nodiscard]] Result<void> apply(Call& call, const Sigmoid& sigmoid);

}  // namespace macaw::tflite
