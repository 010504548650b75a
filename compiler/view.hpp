#pragma once
#include <macaw/tensor.hpp>

#include <cstdint>
#include <vector>

namespace macaw::npu {

/// Elements of a storage in a grid of any rank with a byte stride along each axis. Strides may be zero (broadcast) or
/// negative (reverse).
struct StorageView {
  int storage = -1;
  std::int64_t offset = 0;  ///< bytes from the start of the storage to element 0, 0, ...
  Shape extents;
  std::vector<std::int64_t> strides;
  int bits = 8;
  bool is_signed = true;
  std::int32_t zero_point = 0;
  bool whole = false;  ///< the storage in one piece and in its own shape, in any layout
  int item = -1;       ///< [h][w][c] only: the batch item of the storage, in any layout; -1: not in one piece

  [[nodiscard]] std::size_t rank() const { return extents.size(); }
  [[nodiscard]] int bytes() const { return bits / 8; }
  [[nodiscard]] std::int64_t elements() const;

  /// The same bytes in another shape; requires a dense view.
  [[nodiscard]] StorageView reshaped(Shape shape) const;
  [[nodiscard]] StorageView permuted(const std::vector<std::int64_t>& axes) const;
  /// Elements [first, first + count) along an axis.
  [[nodiscard]] StorageView part(std::size_t axis, std::int64_t first, std::int64_t count) const;
  /// Every `step`-th element along an axis from the first.
  [[nodiscard]] StorageView every(std::size_t axis, std::int64_t step) const;
  [[nodiscard]] StorageView reversed(std::size_t axis) const;
  /// Repeats an axis of one element.
  [[nodiscard]] StorageView repeated(std::size_t axis, std::int64_t count) const;
  /// Selects one element of an axis and removes the axis.
  [[nodiscard]] StorageView at(std::size_t axis, std::int64_t index) const;
  [[nodiscard]] StorageView with_axis(std::size_t position) const;  ///< a new axis of one element
  /// Splits each element into several narrower ones along a new last axis.
  [[nodiscard]] StorageView split(int narrow_bits) const;
  [[nodiscard]] StorageView low_part(int narrow_bits) const;  ///< the low bits of each element (little endian)
  [[nodiscard]] StorageView as(bool sign, std::int32_t zp = 0) const;
};

/// Batch item of [N,H,W,C] as [h][w][c].
[[nodiscard]] StorageView batch_item(const StorageView& nhwc, std::int64_t item);

/// A dense view of a storage from its start.
[[nodiscard]] StorageView dense_view(int storage, Shape extents, int bits);

}  // namespace macaw::npu
