#include "reference/tflite/op/slicing.hpp"

#include <algorithm>
#include <cstring>

#include <fmt/format.h>

#include "reference/tflite/copy.hpp"

// tensorflow/tflite-micro @90b983c2b tensorflow/lite/micro/kernels/{slice.cc,strided_slice.cc},
// tensorflow/lite/kernels/internal/strided_slice_logic.h.
namespace macaw::tflite {

namespace {

SliceAxis slice_of(std::int64_t extent, std::int64_t begin, std::int64_t end, std::int64_t stride, bool from_edge,
                   bool to_edge, bool single) {
  // Positions are clamped to one before or after the elements, by direction.
  const std::int64_t low = stride > 0 ? 0 : -1, high = stride > 0 ? extent : extent - 1;
  const auto position = [&](std::int64_t index) { return std::clamp(index < 0 ? index + extent : index, low, high); };
  const std::int64_t start = from_edge ? (stride > 0 ? low : high) : position(begin);
  if (single) return {start, 1, 1};
  const std::int64_t stop = to_edge ? (stride > 0 ? high : low) : position(end);
  const std::int64_t distance = stride > 0 ? stop - start : start - stop, step = stride > 0 ? stride : -stride;
  return {start, stride, distance <= 0 ? 0 : (distance + step - 1) / step};
}

bool bit(std::int32_t mask, std::size_t axis) { return static_cast<std::uint32_t>(mask) >> axis & 1; }

}  // namespace

Result<std::vector<SliceAxis>> slices_of(const Call& call) {
  MACAW_ASSIGN(const auto* options, call.options_as<schema::StridedSliceOptionsT>());
  const auto& option = *options;
  if (option.ellipsis_mask != 0 || option.new_axis_mask != 0 || option.offset)
    return unsupported("an ellipsis, a new axis or relative ends");
  MACAW_ASSIGN(const Tensor* in, call.input(0));
  const Shape& shape = in->shape();
  std::array<std::span<const std::int32_t>, 3> indices;
  for (std::size_t i = 0; i < indices.size(); ++i) {
    MACAW_ASSIGN(const Tensor* tensor, call.input(i + 1));
    MACAW_CHECK(expect(*tensor, DType::kINT32, "a list of positions"));
    indices[i] = tensor->data<std::int32_t>();
    if (indices[i].size() != shape.size())
      return invalid(fmt::format("{} positions for {} axes", indices[i].size(), shape.size()));
  }
  std::vector<SliceAxis> axes;
  for (std::size_t i = 0; i < shape.size(); ++i) {
    if (indices[2][i] == 0) return invalid("a stride is zero");
    const SliceAxis axis = slice_of(shape[i], indices[0][i], indices[1][i], indices[2][i], bit(option.begin_mask, i),
                                    bit(option.end_mask, i), bit(option.shrink_axis_mask, i));
    if (axis.count > 0 && (axis.start < 0 || axis.start >= shape[i]))
      return invalid(fmt::format("axis {} begins at {} of {}", i, axis.start, shape[i]));
    axes.push_back(axis);
  }
  return axes;
}

}  // namespace macaw::tflite

namespace macaw::tflite::slicing {
namespace {

Result<void> slice(Call& call) {
  MACAW_ASSIGN(const Tensor* in, call.input(0));
  MACAW_ASSIGN(const Tensor* begin_tensor, call.input(1));
  MACAW_ASSIGN(const Tensor* size_tensor, call.input(2));
  MACAW_ASSIGN(const auto begin, integers(*begin_tensor, "the beginnings"));
  MACAW_ASSIGN(const auto size, integers(*size_tensor, "the sizes"));
  if (begin.size() != in->rank() || size.size() != in->rank()) return invalid("not one beginning and size an axis");
  Shape shape;
  for (std::size_t a = 0; a < in->rank(); ++a) {
    const std::int64_t extent = in->shape()[a];
    if (begin[a] < 0 || begin[a] > extent || size[a] < -1 || size[a] > extent - begin[a])
      return invalid(fmt::format("axis {} from {}, {} of {} elements", a, begin[a], size[a], extent));
    shape.push_back(size[a] < 0 ? extent - begin[a] : size[a]);
  }
  MACAW_CHECK(expect(call.output(), in->dtype(), "the output"));
  MACAW_CHECK(expect(call.output(), shape, "the output"));
  std::vector<std::int64_t> strides(in->rank());
  std::int64_t offset = 0;
  for (std::size_t a = 0; a < in->rank(); ++a) {
    strides[a] = in->size() == 0 ? 0 : product(in->shape(), a + 1, in->rank());
    offset += begin[a] * strides[a];
  }
  gather_strided(*in, offset, strides, call.output());
  return {};
}

Result<void> expect_empty(const Tensor& out) {
  if (out.size() == 0) return {};
  return invalid(fmt::format("{} elements of an empty tensor", out.size()));
}

Result<void> strided_slice(Call& call) {
  MACAW_ASSIGN(const Tensor* in, call.input(0));
  Tensor& out = call.output();
  MACAW_CHECK(expect(out, in->dtype(), "the output"));
  if (in->size() == 0) return expect_empty(out);
  MACAW_ASSIGN(const auto axes, slices_of(call));
  std::int64_t count = 1;
  for (const SliceAxis& axis : axes) count *= axis.count;
  if (count != out.size()) return invalid(fmt::format("the slice has {} elements, the output {}", count, out.size()));
  Shape shape(axes.size()), strides(axes.size());
  std::int64_t stride = 1, offset = 0;
  for (std::size_t a = axes.size(); a-- > 0; stride *= in->shape()[a]) {
    shape[a] = axes[a].count;
    strides[a] = axes[a].count > 1 ? axes[a].stride * stride : 0;
    offset += axes[a].start * stride;
  }
  // The output may lack axes of one element.
  const Shape final_shape = out.shape();
  out.reshape(shape);
  gather_strided(*in, offset, strides, out);
  out.reshape(final_shape);
  return {};
}

/// Where the update would reach over an end, it is moved inside. tensorflow/tflite-micro @0cc6f9832
/// tensorflow/lite/micro/kernels/dynamic_update_slice.cc.
Result<void> dynamic_update_slice(Call& call) {
  MACAW_ASSIGN(const Tensor* in, call.input(0));
  MACAW_ASSIGN(const Tensor* update, call.input(1));
  MACAW_ASSIGN(const Tensor* start_tensor, call.input(2));
  MACAW_ASSIGN(auto start, integers(*start_tensor, "the beginnings"));
  Tensor& out = call.output();
  MACAW_CHECK(expect(*update, in->dtype(), "the update"));
  MACAW_CHECK(expect_rank(*update, in->rank(), "the update"));
  MACAW_CHECK(expect(out, in->dtype(), "the output"));
  MACAW_CHECK(expect(out, in->shape(), "the output"));
  if (start.size() != in->rank()) return invalid(fmt::format("{} beginnings of rank {}", start.size(), in->rank()));
  for (std::size_t a = 0; a < in->rank(); ++a) {
    const auto extent = in->shape()[a], length = update->shape()[a];
    if (length > extent) return invalid(fmt::format("an update of {} elements of {} on axis {}", length, extent, a));
    start[a] = std::clamp<std::int64_t>(start[a], 0, extent - length);
  }
  MACAW_CHECK(call.account(update->size()));
  std::ranges::copy(in->bytes(), out.uninitialized_bytes().begin());
  if (update->size() == 0) return {};
  // Rows of the last axis lie together in both.
  const auto row = in->rank() == 0 ? std::int64_t{1} : update->shape().back();
  const auto size = size_of(in->dtype()), row_bytes = static_cast<std::size_t>(row) * size;
  for (std::int64_t r = 0; r < update->size() / row; ++r) {
    std::int64_t at = in->rank() == 0 ? 0 : start.back(), rest = r, stride = in->rank() == 0 ? 1 : in->shape().back();
    for (std::size_t a = in->rank(); a-- > 1; stride *= in->shape()[a - 1]) {
      const auto length = update->shape()[a - 1];
      at += (start[a - 1] + rest % length) * stride;
      rest /= length;
    }
    std::memcpy(out.bytes().data() + static_cast<std::size_t>(at) * size,
                update->bytes().data() + static_cast<std::size_t>(r) * row_bytes, row_bytes);
  }
  return {};
}

constexpr Definition kDefinitions[] = {
    {"DYNAMIC_UPDATE_SLICE", 3, 3, 1, 1, dynamic_update_slice},
    {"SLICE", 3, 3, 1, 1, slice},
    {"STRIDED_SLICE", 4, 4, 1, 1, strided_slice},
};

}  // namespace

extern constexpr Operators kOperators = kDefinitions;

}  // namespace macaw::tflite::slicing
