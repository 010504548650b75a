#pragma once
#include "reference/tflite/call.hpp"

namespace macaw::tflite {

/// Elements start, start + stride, ... of an axis, `count` of them; the stride may be below 0.
struct SliceAxis {
  std::int64_t start = 0, stride = 1, count = 0;
};

/// Range that STRIDED_SLICE selects on every axis of input 0.
[[nodiscard]] Result<std::vector<SliceAxis>> slices_of(const Call& call);

}  // namespace macaw::tflite
