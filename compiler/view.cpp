#include "compiler/view.hpp"

#include <cassert>
#include <cstddef>

namespace macaw::npu {
namespace {

std::vector<std::int64_t> dense_strides(const Shape& extents, std::int64_t element) {
  std::vector<std::int64_t> strides(extents.size());
  for (std::size_t i = extents.size(); i-- > 0; element *= extents[i]) strides[i] = element;
  return strides;
}

StorageView piece(StorageView v) {
  v.whole = false;
  v.item = -1;
  return v;
}

auto at_axis(auto& list, std::size_t axis) { return list.begin() + static_cast<std::ptrdiff_t>(axis); }

}  // namespace

std::int64_t StorageView::elements() const {
  std::int64_t n = 1;
  for (const auto e : extents) n *= e;
  return n;
}

StorageView StorageView::reshaped(Shape shape) const {
  assert(strides == dense_strides(extents, bytes()));
  StorageView v = piece(*this);
  v.strides = dense_strides(shape, bytes());
  v.extents = std::move(shape);
  return v;
}

StorageView StorageView::permuted(const std::vector<std::int64_t>& axes) const {
  StorageView v = piece(*this);
  for (std::size_t i = 0; i < axes.size(); ++i) {
    v.extents[i] = extents[static_cast<std::size_t>(axes[i])];
    v.strides[i] = strides[static_cast<std::size_t>(axes[i])];
  }
  return v;
}

StorageView StorageView::part(std::size_t axis, std::int64_t first, std::int64_t count) const {
  if (first == 0 && count == extents[axis]) return *this;
  StorageView v = piece(*this);
  v.offset += first * strides[axis];
  v.extents[axis] = count;
  return v;
}

StorageView StorageView::every(std::size_t axis, std::int64_t step) const {
  if (step == 1) return *this;
  StorageView v = piece(*this);
  v.extents[axis] = (extents[axis] + step - 1) / step;
  v.strides[axis] *= step;
  return v;
}

StorageView StorageView::reversed(std::size_t axis) const {
  StorageView v = piece(*this);
  v.offset += (extents[axis] - 1) * strides[axis];
  v.strides[axis] = -strides[axis];
  return v;
}

StorageView StorageView::repeated(std::size_t axis, std::int64_t count) const {
  if (count == extents[axis]) return *this;
  StorageView v = piece(*this);
  v.extents[axis] = count;
  v.strides[axis] = 0;
  return v;
}

StorageView StorageView::at(std::size_t axis, std::int64_t index) const {
  StorageView v = piece(part(axis, index, 1));
  v.extents.erase(at_axis(v.extents, axis));
  v.strides.erase(at_axis(v.strides, axis));
  return v;
}

StorageView StorageView::with_axis(std::size_t position) const {
  StorageView v = piece(*this);
  v.extents.insert(at_axis(v.extents, position), 1);
  v.strides.insert(at_axis(v.strides, position), 0);
  return v;
}

StorageView StorageView::split(int narrow_bits) const {
  if (narrow_bits == bits) return *this;
  StorageView v = piece(*this);
  v.bits = narrow_bits;
  v.is_signed = true;
  v.extents.push_back(bits / narrow_bits);
  v.strides.push_back(narrow_bits / 8);
  return v;
}

StorageView StorageView::low_part(int narrow_bits) const {
  StorageView v = piece(*this);
  v.bits = narrow_bits;
  return v;
}

StorageView StorageView::as(bool sign, std::int32_t zp) const {
  StorageView v = *this;
  v.is_signed = sign;
  v.zero_point = zp;
  return v;
}

StorageView batch_item(const StorageView& nhwc, std::int64_t item) {
  StorageView v = nhwc.at(0, item);
  if (nhwc.whole) v.item = static_cast<int>(item);
  return v;
}

StorageView dense_view(int storage, Shape extents, int bits) {
  StorageView v{.storage = storage, .extents = {}, .strides = dense_strides(extents, bits / 8), .bits = bits};
  v.extents = std::move(extents);
  v.whole = true;
  return v;
}

}  // namespace macaw::npu
