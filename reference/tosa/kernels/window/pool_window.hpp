#pragma once
#include "reference/tosa/op/def.hpp"

#include <algorithm>

namespace macaw::tosa {

/// The part of a pooling window that lies in the input: [top, bottom) x [left, right).
struct Window {
  std::int64_t top, bottom, left, right;
  std::int64_t image, row_pitch, pixel_pitch;  ///< in elements: start of the batch's image, one row, one pixel

  /// Offset of the first element of line `y`.
  [[nodiscard]] std::int64_t offset(std::int64_t y) const { return image + y * row_pitch + left * pixel_pitch; }
};

/// Lines of the output of a pooling operator, over all batches.
[[nodiscard]] inline std::size_t pool_lines(const Call& call) {
  const auto& out = call.out(0).shape();
  return static_cast<std::size_t>(out[0] * out[1]);
}

/// Calls f(Window) for every output position of the lines [first, end), in the order of the output.
template <class F>
void for_each_window(const Call& call, std::size_t first, std::size_t end, F f) {
  const auto &in = call.in(0).shape(), &out = call.out(0).shape();
  const auto &kernel = call.attrs(Attr::k_kernel), &stride = call.attrs(Attr::k_stride), &pad = call.attrs(Attr::k_pad);
  const auto row_pitch = in[2] * in[3];
  for (; first < end; ++first) {
    const auto n = static_cast<std::int64_t>(first) / out[1], oy = static_cast<std::int64_t>(first) % out[1];
    for (std::int64_t ox = 0; ox < out[2]; ++ox) {
      const auto y = oy * stride[0] - pad[0], x = ox * stride[1] - pad[2];
      f(Window{std::max<std::int64_t>(y, 0), std::min(y + kernel[0], in[1]), std::max<std::int64_t>(x, 0),
               std::min(x + kernel[1], in[2]), n * in[1] * row_pitch, row_pitch, in[3]});
    }
  }
}

}  // namespace macaw::tosa
