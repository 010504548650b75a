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

View piece(View v) {
  v.whole = false;
  v.item = -1;
  return v;
}

auto at_axis(auto& list, std::size_t axis) { return list.begin() + static_cast<std::ptrdiff_t>(axis); }

}  // namespace

std::int64_t View::elements() const {
  std::int64_t n = 1;
  for (const auto e : extents) n *= e;
  return n;
}

View View::reshaped(Shape shape) const {
  assert(strides == dense_strides(extents, bytes()));
  View v = piece(*this);
  v.strides = dense_strides(shape, bytes());
  v.extents = std::move(shape);
  return v;
}

View View::permuted(const std::vector<std::int64_t>& axes) const {
  View v = piece(*this);
  for (std::size_t i = 0; i < axes.size(); ++i) {
    v.extents[i] = extents[static_cast<std::size_t>(axes[i])];
    v.strides[i] = strides[static_cast<std::size_t>(axes[i])];
  }
  return v;
}

View View::part(std::size_t axis, std::int64_t first, std::int64_t count) const {
  if (first == 0 && count == extents[axis]) return *this;
  View v = piece(*this);
  v.offset += first * strides[axis];
  v.extents[axis] = count;
  return v;
}

View View::every(std::size_t axis, std::int64_t step) const {
  if (step == 1) return *this;
  View v = piece(*this);
  v.extents[axis] = (extents[axis] + step - 1) / step;
  v.strides[axis] *= step;
  return v;
}

View View::reversed(std::size_t axis) const {
  View v = piece(*this);
  v.offset += (extents[axis] - 1) * strides[axis];
  v.strides[axis] = -strides[axis];
  return v;
}

View View::repeated(std::size_t axis, std::int64_t count) const {
  if (count == extents[axis]) return *this;
  View v = piece(*this);
  v.extents[axis] = count;
  v.strides[axis] = 0;
  return v;
}

View View::at(std::size_t axis, std::int64_t index) const {
  View v = piece(part(axis, index, 1));
  v.extents.erase(at_axis(v.extents, axis));
  v.strides.erase(at_axis(v.strides, axis));
  return v;
}

View View::with_axis(std::size_t position) const {
  View v = piece(*this);
  v.extents.insert(at_axis(v.extents, position), 1);
  v.strides.insert(at_axis(v.strides, position), 0);
  return v;
}

View View::split(int narrow_bits) const {
  if (narrow_bits == bits) return *this;
  View v = piece(*this);
  v.bits = narrow_bits;
  v.is_signed = true;
  v.extents.push_back(bits / narrow_bits);
  v.strides.push_back(narrow_bits / 8);
  return v;
}

View View::low_part(int narrow_bits) const {
  View v = piece(*this);
  v.bits = narrow_bits;
  return v;
}

View View::as(bool sign, std::int32_t zp) const {
  View v = *this;
  v.is_signed = sign;
  v.zero_point = zp;
  return v;
}

View batch_item(const View& nhwc, std::int64_t item) {
  View v = nhwc.at(0, item);
  if (nhwc.whole) v.item = static_cast<int>(item);
  return v;
}

View dense_view(int storage, Shape extents, int bits) {
  View v{.storage = storage, .extents = {}, .strides = dense_strides(extents, bits / 8), .bits = bits};
  v.extents = std::move(extents);
  v.whole = true;
  return v;
}

}  // namespace macaw::npu
