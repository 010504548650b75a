#pragma once
#include "reference/tflite/call.hpp"

namespace macaw::tflite {

/// A window that moves along one axis.
struct WindowAxis {
  std::int64_t in = 1, kernel = 1, stride = 1, dilation = 1;
  std::int64_t pad = 0;  ///< before the first element
  std::int64_t out = 1;

  /// First element of the window at an output, below 0 in the padding.
  [[nodiscard]] std::int64_t origin(std::int64_t at) const { return at * stride - pad; }
};

/// The axis with `pad` and `out` computed; an error for extents, strides or dilations below 1, above 2^31, or a kernel
/// that does not fit without padding.
[[nodiscard]] Result<WindowAxis> window_axis(WindowAxis axis, schema::Padding padding);

}  // namespace macaw::tflite
