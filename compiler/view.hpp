#pragma once
#include <macaw/tensor.hpp>

#include <cstdint>
#include <vector>

namespace macaw::npu {

/// Elements of a storage in a grid of any rank with a byte stride along each axis. Strides may be zero (broadcast) or
/// negative (reverse).
struct View {
  int storage = -1;
  std::int64_t offset = 0;  ///< bytes from the start of the storage to element 0, 0, ...
  Shape extents;
  std::vector<std::int64_t> strides;
  int bits = 8;
  bool is_signed = true;
  std::int32_t zero_point = 0;
  bool whole = false;  ///< the storage in one piece and in its own shape, in whatever layout
  int item = -1;       ///< [h][w][c] only: this batch item of the storage, in whatever layout; -1: not in one piece

  [[nodiscard]] std::size_t rank() const { return extents.size(); }
  [[nodiscard]] int bytes() const { return bits / 8; }
  [[nodiscard]] std::int64_t elements() const;

  /// The bytes under another shape; only of a dense view.
  [[nodiscard]] View reshaped(Shape shape) const;
  [[nodiscard]] View permuted(const std::vector<std::int64_t>& axes) const;
  /// Elements [first, first + count) along an axis.
  [[nodiscard]] View part(std::size_t axis, std::int64_t first, std::int64_t count) const;
  /// Every `step`-th element along an axis from the first.
  [[nodiscard]] View every(std::size_t axis, std::int64_t step) const;
  [[nodiscard]] View reversed(std::size_t axis) const;
  /// An axis of one element repeated.
  [[nodiscard]] View repeated(std::size_t axis, std::int64_t count) const;
  /// One element of an axis, which goes away.
  [[nodiscard]] View at(std::size_t axis, std::int64_t index) const;
  [[nodiscard]] View with_axis(std::size_t position) const;  ///< a new axis of one element
  /// Each element as several narrower ones along a new last axis.
  [[nodiscard]] View split(int narrow_bits) const;
  [[nodiscard]] View low_part(int narrow_bits) const;  ///< the low bits of each element (little endian)
  [[nodiscard]] View as(bool sign, std::int32_t zp = 0) const;
};

/// Batch item of [N,H,W,C] as [h][w][c].
[[nodiscard]] View batch_item(const View& nhwc, std::int64_t item);

/// A dense view of a storage from its start.
[[nodiscard]] View dense_view(int storage, Shape extents, int bits);

}  // namespace macaw::npu
