#include "reference/tflite/window.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace macaw::tflite {

// lite/kernels/padding.h.
Result<WindowAxis> window_axis(WindowAxis axis, schema::Padding padding) {
  constexpr std::int64_t kLimit = std::int64_t{1} << 31;
  for (const auto value : {axis.in, axis.kernel, axis.stride, axis.dilation})
    if (value < 1 || value >= kLimit)
      return invalid(fmt::format("a window of {} elements with stride {} and dilation {} over {} elements", axis.kernel,
                                 axis.stride, axis.dilation, axis.in));
  const auto extent = (axis.kernel - 1) * axis.dilation + 1;
  if (padding == schema::Padding::SAME) {
    axis.out = (axis.in + axis.stride - 1) / axis.stride;
  } else {
    axis.out = (axis.in + axis.stride - extent) / axis.stride;
    if (axis.in < extent || axis.out < 1)
      return invalid(fmt::format("a window of {} elements over {} elements", extent, axis.in));
  }
  axis.pad = std::max<std::int64_t>(0, ((axis.out - 1) * axis.stride + extent - axis.in) / 2);
  return axis;
}

}  // namespace macaw::tflite
