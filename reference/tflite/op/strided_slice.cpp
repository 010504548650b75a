#include "reference/tflite/op/strided_slice.hpp"

#include <algorithm>
#include <cstring>

#include <fmt/format.h>

// tensorflow/tflite-micro @90b983c2b tensorflow/lite/kernels/internal/strided_slice_logic.h and
// lite/micro/kernels/strided_slice.cc.
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

namespace macaw::tflite::STRIDED_SLICE {
namespace {

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
  const std::size_t size = size_of(in->dtype());
  for (std::int64_t i = 0; i < count; ++i) {
    std::int64_t rest = i, stride = 1, from = 0;
    for (std::size_t a = axes.size(); a-- > 0;) {
      from += (axes[a].start + rest % axes[a].count * axes[a].stride) * stride;
      rest /= axes[a].count;
      stride *= in->shape()[a];
    }
    std::memcpy(out.bytes().data() + static_cast<std::size_t>(i) * size,
                in->bytes().data() + static_cast<std::size_t>(from) * size, size);
  }
  return {};
}

}  // namespace

extern constexpr Definition kDefinition = {"STRIDED_SLICE", 4, 4, 1, 1, strided_slice};

}  // namespace macaw::tflite::STRIDED_SLICE
