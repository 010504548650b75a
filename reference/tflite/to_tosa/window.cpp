#include "reference/tflite/to_tosa/window.hpp"

#include <algorithm>

namespace macaw::tflite {
namespace {

/// One behind the last element that a window reaches.
std::int64_t end(const WindowAxis& axis) { return axis.origin(axis.out - 1) + (axis.kernel - 1) * axis.dilation + 1; }

std::int64_t pad_after(const WindowAxis& axis) { return std::max<std::int64_t>(0, end(axis) - axis.in); }

}  // namespace

std::vector<std::int64_t> Window::pad() const { return {y.pad, pad_after(y), x.pad, pad_after(x)}; }

Attributes Window::convolution_attributes() const {
  return {{Attr::k_pad, pad()},
          {Attr::k_stride, std::vector{y.stride, x.stride}},
          {Attr::k_dilation, std::vector{y.dilation, x.dilation}}};
}

ValueId Window::used(Emitter& tosa, ValueId id) const {
  Shape size = tosa.shape(id);
  size[1] = std::min(size[1], end(y));
  size[2] = std::min(size[2], end(x));
  return tosa.slice(id, Shape(4, 0), std::move(size));
}

}  // namespace macaw::tflite
