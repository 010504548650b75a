#pragma once
#include "reference/tflite/call.hpp"

namespace macaw::tflite {

/// Elements before and after each axis of input 0, from input 1; an error if the output's shape does not follow.
struct PadAmounts {
  std::vector<std::int64_t> before, after;
};
[[nodiscard]] Result<PadAmounts> pad_amounts(const Call& call);

/// Input 0 surrounded by one value: that of input `value_index` if the operator has such an input, else zero, which a
/// quantised tensor has at its zero point.
[[nodiscard]] Result<void> pad_with_constant(Call& call, std::size_t value_index);

}  // namespace macaw::tflite
