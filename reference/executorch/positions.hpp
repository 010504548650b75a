#pragma once
#include <cstdint>
#include <vector>

#include "reference/tflite/call.hpp"

// Walks over the elements of a tensor by their positions.
namespace macaw::executorch {

/// Elements from one position along an axis to the next, of a tensor that lies in the order of its axes.
[[nodiscard]] inline std::vector<std::int64_t> strides_of(const Shape& shape) {
  std::vector<std::int64_t> strides(shape.size(), 1);
  for (std::size_t axis = shape.size(); axis-- > 1;) strides[axis - 1] = strides[axis] * shape[axis];
  return strides;
}

/// Calls f(position) `count` times, which is the number of elements of the shape, in the order of memory.
template <class F>
void for_each_position(const Shape& shape, std::size_t count, F&& f) {
  std::vector<std::int64_t> position(shape.size());
  for (std::size_t i = 0; i < count; ++i) {
    f(position);
    for (std::size_t axis = shape.size(); axis-- > 0;) {
      if (++position[axis] < shape[axis]) break;
      position[axis] = 0;
    }
  }
}

/// Fills `out` with the elements of `in`, the first at position `before`, and with `value` around them.
template <class T>
void pad_elements(const Tensor& in, const Shape& before, T value, Tensor& out) {
  const auto from = in.data<T>();
  const auto to = out.uninitialized_data<T>();
  const auto& shape = in.shape();
  std::size_t i = 0;
  for_each_position(out.shape(), to.size(), [&](const std::vector<std::int64_t>& position) {
    bool is_inside = true;
    for (std::size_t axis = 0; axis < shape.size(); ++axis) {
      const auto own = position[axis] - before[axis];
      is_inside = is_inside && own >= 0 && own < shape[axis];
    }
    std::int64_t at = 0;
    if (is_inside)
      for (std::size_t axis = 0; axis < shape.size(); ++axis) at = at * shape[axis] + position[axis] - before[axis];
    to[i++] = is_inside ? from[static_cast<std::size_t>(at)] : value;
  });
}

}  // namespace macaw::executorch
