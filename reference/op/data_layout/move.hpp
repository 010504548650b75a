#pragma once
#include <cstdint>
#include <type_traits>

#include "reference/op/def.hpp"

namespace macaw::tosa {

/// Calls `move` with a tag of the unsigned type as wide as an element: what only moves elements needs no more.
template <class F>
void with_element(DType dtype, F&& move) {
  switch (size_of(dtype)) {
    case 1: return move(std::type_identity<std::uint8_t>());
    case 2: return move(std::type_identity<std::uint16_t>());
    case 4: return move(std::type_identity<std::uint32_t>());
    default: return move(std::type_identity<std::uint64_t>());
  }
}

/// Elements between neighbours of each dimension, row-major.
[[nodiscard]] inline Shape strides_of(const Shape& shape) {
  Shape strides(shape.size(), 1);
  for (std::size_t i = shape.size(); i-- > 1;) strides[i - 1] = strides[i] * shape[i];
  return strides;
}

/// Copies out[i0, i1, ...] = in[start + i0*step0 + i1*step1 + ...]; a step may be negative or zero.
template <class T>
void strided_copy(const T* in, std::int64_t start, const Shape& steps, T* out, const Shape& shape) {
  const auto rank = shape.size();
  const auto inner = rank == 0 ? 1 : shape[rank - 1];
  const auto inner_step = rank == 0 ? 1 : steps[rank - 1];
  std::int64_t rows = 1;
  for (std::size_t i = 0; i + 1 < rank; ++i) rows *= shape[i];
  Shape index(rank, 0);
  auto from = start;
  for (std::int64_t row = 0; row < rows; ++row) {
    for (std::int64_t i = 0; i < inner; ++i) *out++ = in[from + i * inner_step];
    for (std::size_t d = rank < 2 ? 0 : rank - 1; d-- > 0;) {
      from += steps[d];
      if (++index[d] < shape[d]) break;
      from -= steps[d] * shape[d];
      index[d] = 0;
    }
  }
}

}  // namespace macaw::tosa
