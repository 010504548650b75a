#pragma once
#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <optional>
#include <type_traits>
#include <vector>

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

/// A dimension of a copy.
struct CopyAxis {
  std::int64_t extent = 1, in_step = 1, out_step = 1;
};

/// The dimensions of a row-major output with the input's steps: without those of one element, neighbours as one where
/// the input goes on as the output does. At least one.
[[nodiscard]] inline std::vector<CopyAxis> copy_axes(const Shape& steps, const Shape& shape) {
  std::vector<CopyAxis> axes;
  const auto strides = strides_of(shape);
  for (std::size_t d = 0; d < shape.size(); ++d) {
    if (shape[d] == 1) continue;
    if (!axes.empty() && axes.back().in_step == steps[d] * shape[d]) {
      axes.back() = {axes.back().extent * shape[d], steps[d], strides[d]};
    } else {
      axes.push_back({shape[d], steps[d], strides[d]});
    }
  }
  if (axes.empty()) axes.emplace_back();
  return axes;
}

/// Reverses elements; bytes in words of eight.
template <class T>
void copy_reversed(const T* in, std::int64_t count, T* out) {
  std::int64_t i = 0;
  if constexpr (sizeof(T) == 1)
    for (; i + 8 <= count; i += 8) {
      std::uint64_t word = 0;
      std::memcpy(&word, in + count - i - 8, 8);
      word = __builtin_bswap64(word);
      std::memcpy(out + i, &word, 8);
    }
  std::reverse_copy(in, in + count - i, out + i);
}

/// Copies a line of elements `step` apart.
template <class T>
void copy_line(const T* in, std::int64_t step, std::int64_t count, T* out) {
  if (step == 1) std::copy_n(in, count, out);
  else if (step == 0) std::fill_n(out, count, *in);
  else if (step == -1) copy_reversed(in - (count - 1), count, out);
  else
    for (std::int64_t i = 0; i < count; ++i) out[i] = in[i * step];
}

/// Transposes eight by eight bytes; the rows of both are `in_step` and `out_step` apart.
template <class T>
void transpose_bytes(const T* in, std::int64_t in_step, T* out, std::int64_t out_step) {
  std::array<std::uint64_t, 8> words;
  for (std::size_t i = 0; i < 8; ++i) std::memcpy(&words[i], in + static_cast<std::int64_t>(i) * in_step, 8);
  // Swaps, in words `distance` apart, the bytes that are `distance` apart too.
  const auto swap = [&](std::size_t distance, std::uint64_t mask) {
    for (std::size_t i = 0; i < 8; ++i) {
      if ((i & distance) != 0) continue;
      const auto difference = ((words[i] >> (8 * distance)) ^ words[i + distance]) & mask;
      words[i + distance] ^= difference;
      words[i] ^= difference << (8 * distance);
    }
  };
  swap(1, 0x00FF00FF00FF00FF);
  swap(2, 0x0000FFFF0000FFFF);
  swap(4, 0x00000000FFFFFFFF);
  for (std::size_t i = 0; i < 8; ++i) std::memcpy(out + static_cast<std::int64_t>(i) * out_step, &words[i], 8);
}

/// Copies a transposed plane: the input advances by one along the rows, and by columns.in_step along the columns.
template <class T>
void copy_plane(const T* in, const CopyAxis& rows, const CopyAxis& columns, T* out) {
  // Both sides of a tile stay in the first-level cache; few rows, for those of the output may share a set of it.
  constexpr std::int64_t kRows = 8, kColumns = 64;
  for (std::int64_t left = 0; left < columns.extent; left += kColumns)
    for (std::int64_t top = 0; top < rows.extent; top += kRows) {
      const auto bottom = std::min(rows.extent, top + kRows), right = std::min(columns.extent, left + kColumns);
      auto first = left;
      if constexpr (sizeof(T) == 1)
        if (bottom - top == 8)
          for (; first + 8 <= right; first += 8)
            transpose_bytes(in + top + first * columns.in_step, columns.in_step, out + top * rows.out_step + first,
                            rows.out_step);
      for (auto row = top; row < bottom; ++row)
        for (auto column = first; column < right; ++column)
          out[row * rows.out_step + column] = in[row + column * columns.in_step];
    }
}

/// Copies out[i0, i1, ...] = in[start + i0*step0 + i1*step1 + ...]; a step may be negative or zero.
template <class T>
void strided_copy(const T* in, std::int64_t start, const Shape& steps, T* out, const Shape& shape) {
  if (std::ranges::find(shape, 0) != shape.end()) return;
  auto axes = copy_axes(steps, shape);
  const auto inner = axes.back();
  axes.pop_back();
  // A row axis along which the input is contiguous makes planes.
  std::optional<CopyAxis> rows;
  if (inner.in_step > 1) {
    const auto contiguous = std::ranges::find(axes, 1, &CopyAxis::in_step);
    if (contiguous != axes.end()) {
      rows = *contiguous;
      axes.erase(contiguous);
    }
  }
  Shape index(axes.size(), 0);
  auto from = start;
  std::int64_t to = 0, lines = 1;
  for (const auto& axis : axes) lines *= axis.extent;
  for (std::int64_t line = 0; line < lines; ++line) {
    if (rows) copy_plane(in + from, *rows, inner, out + to);
    else copy_line(in + from, inner.in_step, inner.extent, out + to);
    for (auto d = axes.size(); d-- > 0;) {
      from += axes[d].in_step;
      to += axes[d].out_step;
      if (++index[d] < axes[d].extent) break;
      from -= axes[d].in_step * axes[d].extent;
      to -= axes[d].out_step * axes[d].extent;
      index[d] = 0;
    }
  }
}

}  // namespace macaw::tosa
