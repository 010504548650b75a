#include <algorithm>

#include "reference/tflite/op/slicing.hpp"
#include "reference/tflite/to_tosa/lowering.hpp"

// Operators that join tensors or take parts of them.
namespace macaw::tflite {
namespace {

/// Gives the outputs `extents` each of an axis.
Result<void> split(Lowering& lowering, std::size_t input, std::size_t axis, const std::vector<std::int64_t>& extents) {
  auto& tosa = lowering.tosa;
  MACAW_ASSIGN(const auto x, lowering.input(input));
  Shape start(tosa.shape(x).size(), 0);
  for (std::size_t i = 0; i < extents.size(); ++i) {
    Shape size = tosa.shape(x);
    size[axis] = extents[i];
    MACAW_CHECK(lowering.output(tosa.slice(x, start, std::move(size)), i));
    start[axis] += extents[i];
  }
  return {};
}

/// Every stride-th element of an axis: the axis is divided into rows of `stride` elements, and the last row is padded.
ValueId every(Emitter& tosa, ValueId id, std::size_t axis, std::int64_t stride, std::int64_t count) {
  Shape amounts(2 * tosa.shape(id).size(), 0);
  amounts[2 * axis + 1] = count * stride - tosa.shape(id)[axis];
  if (amounts[2 * axis + 1] > 0) id = tosa.pad(id, amounts, tosa.scalar(tosa.dtype(id), 0));
  Shape rows = tosa.shape(id);
  rows[axis] = count;
  Shape final_shape = rows;
  rows.insert(rows.begin() + static_cast<std::ptrdiff_t>(axis) + 1, stride);
  id = tosa.reshape(id, rows);
  rows[axis + 1] = 1;
  id = tosa.slice(id, Shape(final_shape.size() + 1, 0), std::move(rows));
  return tosa.reshape(id, std::move(final_shape));
}

Result<std::size_t> constant_axis(Lowering& lowering, std::size_t input, std::size_t rank) {
  MACAW_CHECK(lowering.expect_constant(input));
  MACAW_ASSIGN(const auto axes, integers(*lowering.call.inputs[input].value, "the axis"));
  return normal_axis(axes[0], rank);
}

}  // namespace

Result<void> lower_concatenation(Lowering& lowering) {
  const auto options = lowering.call.options_or_default<schema::ConcatenationOptionsT>();
  MACAW_ASSIGN(const std::size_t axis, normal_axis(options.axis, lowering.call.output().rank()));
  std::vector<ValueId> parts;
  for (std::size_t i = 0; i < lowering.call.inputs.size(); ++i) {
    if (lowering.call.inputs[i].value->size() == 0) continue;
    MACAW_ASSIGN(const auto part, lowering.input(i));
    parts.push_back(part);
  }
  return lowering.output(lowering.tosa.concat(parts, static_cast<std::int64_t>(axis)));
}

Result<void> lower_pack(Lowering& lowering) {
  const auto options = lowering.call.options_or_default<schema::PackOptionsT>();
  const Shape& out = lowering.call.output().shape();
  MACAW_ASSIGN(const std::size_t axis, normal_axis(options.axis, out.size()));
  Shape one = out;
  one[axis] = 1;
  std::vector<ValueId> parts;
  for (std::size_t i = 0; i < lowering.call.inputs.size(); ++i) {
    MACAW_ASSIGN(const auto part, lowering.input(i));
    parts.push_back(lowering.tosa.reshape(part, one));
  }
  return lowering.output(lowering.tosa.concat(parts, static_cast<std::int64_t>(axis)));
}

Result<void> lower_slice(Lowering& lowering) {
  MACAW_CHECK(lowering.expect_constant(1));
  MACAW_ASSIGN(const auto start, integers(*lowering.call.inputs[1].value, "the beginnings"));
  MACAW_ASSIGN(const auto x, lowering.input(0));
  return lowering.output(lowering.tosa.slice(x, start, lowering.call.output().shape()));
}

Result<void> lower_split(Lowering& lowering) {
  const Tensor& in = *lowering.call.inputs[1].value;
  MACAW_ASSIGN(const std::size_t axis, constant_axis(lowering, 0, in.rank()));
  const auto parts = static_cast<std::int64_t>(lowering.call.outputs.size());
  return split(lowering, 1, axis, std::vector(lowering.call.outputs.size(), in.shape()[axis] / parts));
}

Result<void> lower_split_v(Lowering& lowering) {
  constexpr std::size_t kAxis = 2;
  MACAW_ASSIGN(const std::size_t axis, constant_axis(lowering, kAxis, lowering.call.inputs[0].value->rank()));
  std::vector<std::int64_t> extents;
  for (const auto& output : lowering.call.outputs) extents.push_back(output.value->shape()[axis]);
  return split(lowering, 0, axis, extents);
}

Result<void> lower_unpack(Lowering& lowering) {
  const auto options = lowering.call.options_or_default<schema::UnpackOptionsT>();
  MACAW_ASSIGN(const std::size_t axis, normal_axis(options.axis, lowering.call.inputs[0].value->rank()));
  return split(lowering, 0, axis, std::vector<std::int64_t>(lowering.call.outputs.size(), 1));
}

Result<void> lower_strided_slice(Lowering& lowering) {
  for (std::size_t i = 1; i < lowering.call.inputs.size(); ++i) MACAW_CHECK(lowering.expect_constant(i));
  MACAW_ASSIGN(const auto axes, slices_of(lowering.call));
  auto& tosa = lowering.tosa;
  MACAW_ASSIGN(auto x, lowering.input(0));
  for (std::size_t a = 0; a < axes.size(); ++a) {
    const auto [start, stride, count] = axes[a];
    const std::int64_t step = stride < 0 ? -stride : stride;
    const std::int64_t reach = (count - 1) * step + 1, first = stride < 0 ? start - reach + 1 : start;
    Shape from(tosa.shape(x).size(), 0), size = tosa.shape(x);
    from[a] = first;
    size[a] = reach;
    x = tosa.slice(x, from, std::move(size));
    if (stride < 0) x = tosa.reverse(x, static_cast<std::int64_t>(a));
    if (step > 1 && count > 1) x = every(tosa, x, a, step, count);
  }
  return lowering.output(x);
}

}  // namespace macaw::tflite
