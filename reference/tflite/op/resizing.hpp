#pragma once
#include "reference/tflite/call.hpp"

namespace macaw::tflite {

struct ResizeAxis {
  std::int64_t in = 1, out = 1;
};

/// A resize of an image from input 0 to output 0, of the extents that input 1 names.
struct Resize {
  std::int64_t batches = 0, depth = 0;
  ResizeAxis y, x;
  bool align_corners = false, half_pixel_centers = false;

  /// Checks types and shapes; extents from 1 to 2^20.
  [[nodiscard]] static Result<Resize> create(const Call& call, bool align_corners, bool half_pixel_centers);

  /// The position of an element of the input.
  [[nodiscard]] std::size_t offset(std::int64_t batch, std::int64_t row, std::int64_t column, std::int64_t c) const {
    return static_cast<std::size_t>(((batch * y.in + row) * x.in + column) * depth + c);
  }
};

/// From one output of RESIZE_BILINEAR to the next, in 1024ths of an element.
[[nodiscard]] std::int32_t bilinear_step(const ResizeAxis& axis, bool align_corners);
/// The element that RESIZE_NEAREST_NEIGHBOR takes for an output.
[[nodiscard]] std::int64_t nearest_source(std::int64_t out, const ResizeAxis& axis, const Resize& resize);

}  // namespace macaw::tflite
