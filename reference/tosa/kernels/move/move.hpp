#pragma once
#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <optional>
#include <type_traits>
#include <vector>

#include "reference/tosa/kernels/move/plane.hpp"
#include "reference/tosa/kernels/workers.hpp"
#include "reference/tosa/op/def.hpp"

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

/// The dimensions of a row-major output with the input's steps: without dimensions of one element, and neighbours
/// merged where input and output are both contiguous across them. At least one.
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

/// Copies out[i0, i1, ...] = in[start + i0*step0 + i1*step1 + ...] in pieces; a step may be negative or zero.
class StridedCopy {
 public:
  StridedCopy(std::int64_t start, const Shape& steps, const Shape& shape)
      : start_(start), outer_(copy_axes(steps, shape)) {
    if (std::ranges::find(shape, 0) != shape.end()) return;
    inner_ = outer_.back();
    outer_.pop_back();
    // An axis along which the input is contiguous makes planes with the inner one.
    if (inner_.in_step > 1) {
      const auto contiguous = std::ranges::find(outer_, 1, &CopyAxis::in_step);
      if (contiguous != outer_.end()) {
        rows_ = *contiguous;
        outer_.erase(contiguous);
      }
    }
    line_pieces_ = rows_ ? plane_pieces(*rows_, inner_) : (inner_.extent + kSegment - 1) / kSegment;
    pieces_ = line_pieces_;
    for (const auto& axis : outer_) pieces_ *= axis.extent;
    elements_ = inner_.extent * (rows_ ? rows_->extent : 1) / line_pieces_ + 1;
  }

  /// Pieces, which can be copied in any order.
  [[nodiscard]] std::size_t pieces() const { return static_cast<std::size_t>(pieces_); }
  /// Elements of a piece, about.
  [[nodiscard]] std::size_t elements() const { return static_cast<std::size_t>(elements_); }

  /// Copies the pieces [first, end).
  template <class T>
  void copy(const T* in, T* out, std::size_t first, std::size_t end, Kernels kernels) const {
    if (first >= end) return;
    auto rest = static_cast<std::int64_t>(first) / line_pieces_,
         piece = static_cast<std::int64_t>(first) % line_pieces_;
    Shape index(outer_.size(), 0);
    auto from = start_;
    std::int64_t to = 0;
    for (auto d = outer_.size(); d-- > 0; rest /= outer_[d].extent) {
      index[d] = rest % outer_[d].extent;
      from += index[d] * outer_[d].in_step;
      to += index[d] * outer_[d].out_step;
    }
    const auto plane = kernels == Kernels::kScalar ? copy_plane_scalar<T> : copy_plane<T>;
    for (auto i = first; i < end; ++i) {
      if (rows_) plane(in + from, *rows_, inner_, piece, out + to);
      else copy_segment(in + from, piece * kSegment, out + to);
      if (++piece < line_pieces_) continue;
      piece = 0;
      for (auto d = outer_.size(); d-- > 0;) {
        from += outer_[d].in_step;
        to += outer_[d].out_step;
        if (++index[d] < outer_[d].extent) break;
        from -= outer_[d].in_step * outer_[d].extent;
        to -= outer_[d].out_step * outer_[d].extent;
        index[d] = 0;
      }
    }
  }

 private:
  static constexpr std::int64_t kSegment = std::int64_t{1} << 16;

  template <class T>
  void copy_segment(const T* in, std::int64_t at, T* out) const {
    copy_line(in + at * inner_.in_step, inner_.in_step, std::min(kSegment, inner_.extent - at), out + at);
  }

  std::int64_t start_;
  std::vector<CopyAxis> outer_;
  CopyAxis inner_;
  std::optional<CopyAxis> rows_;
  std::int64_t line_pieces_ = 1, pieces_ = 0, elements_ = 1;
};

/// Copies elements or bytes, on the call's threads.
template <class T>
void copy_all(const Call& call, const T* from, std::size_t count, T* to) {
  split(call, count, 4 * kLeastElements / sizeof(T),
        [&](std::size_t first, std::size_t end) { std::copy(from + first, from + end, to + first); });
}

/// Copies as StridedCopy does, on the call's threads.
template <class T>
void strided_copy(const Call& call, const T* in, std::int64_t start, const Shape& steps, T* out, const Shape& shape) {
  const StridedCopy copy(start, steps, shape);
  split(call, copy.pieces(), kLeastElements / copy.elements() + 1,
        [&](std::size_t first, std::size_t end) { copy.copy(in, out, first, end, call.kernels); });
}

}  // namespace macaw::tosa
