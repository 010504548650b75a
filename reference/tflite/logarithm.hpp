#pragma once
#include <cstdint>

namespace macaw::tflite {

/// log(x) of x >= 1 with 12 integer bits; the result has 5. tensorflow/tflite-micro @90b983c2b
/// tensorflow/lite/kernels/internal/common.h, log_x_for_x_greater_than_or_equal_to_1.
[[nodiscard]] std::int32_t log_of_sum(std::int32_t x);

}  // namespace macaw::tflite
