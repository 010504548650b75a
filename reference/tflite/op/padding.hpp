#pragma once
#include "reference/tflite/call.hpp"

namespace macaw::tflite {

/// Elements before and after each axis of input 0, from input 1; an error if the output's shape does not follow.
struct PadAmounts {
  std::vector<std::int64_t> before, after;
};
[[nodiscard]] Result<PadAmounts> pad_amounts(const Call& call);

}  // namespace macaw::tflite
