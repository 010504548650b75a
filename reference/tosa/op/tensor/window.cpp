#include "reference/tosa/op/tensor/window.hpp"

#include <algorithm>
#include <limits>

namespace macaw::tosa {

std::int64_t window_output(std::int64_t in, Wide pads, Wide reach, std::int64_t stride) {
  const auto room = in + pads - reach;
  if (stride < 1 || room < 0 || room % stride != 0) return -1;
  const auto extent = room / stride + 1;
  return extent > std::numeric_limits<std::int64_t>::max() ? -1 : static_cast<std::int64_t>(extent);
}

namespace {

Wide pads_of(const View& view, std::size_t axis) {
  const auto& pad = view.attrs(Attr::k_pad);
  return Wide{pad[2 * axis]} + pad[2 * axis + 1];
}

}  // namespace

std::int64_t convolution_output(const View& view, std::size_t axis, std::int64_t in, std::int64_t kernel) {
  const auto reach = (Wide{kernel} - 1) * view.attrs(Attr::k_dilation)[axis] + 1;
  return window_output(in, pads_of(view, axis), reach, view.attrs(Attr::k_stride)[axis]);
}

std::int64_t pooling_output(const View& view, std::size_t axis, std::int64_t in) {
  return window_output(in, pads_of(view, axis), view.attrs(Attr::k_kernel)[axis], view.attrs(Attr::k_stride)[axis]);
}

Result<std::vector<Shape>> window_shape(Shape shape) {
  if (std::find(shape.begin(), shape.end(), -1) != shape.end())
    return fail(ErrorCode::kInvalidGraph, "the window does not fit the padded input a whole number of times");
  return std::vector<Shape>{std::move(shape)};
}

}  // namespace macaw::tosa
