#include <algorithm>

#include <fmt/format.h>

#include "reference/tflite/op/join.hpp"

// tensorflow/tflite-micro @90b983c2b tensorflow/lite/micro/kernels/split_v.cc.
namespace macaw::tflite::SPLIT_V {
namespace {

Result<void> split_v(Call& call) {
  MACAW_ASSIGN(const Tensor* in, call.input(0));
  MACAW_ASSIGN(const Tensor* size_tensor, call.input(1));
  MACAW_ASSIGN(const Tensor* axis_tensor, call.input(2));
  MACAW_ASSIGN(auto extents, integers(*size_tensor, "the sizes"));
  MACAW_ASSIGN(const auto axes, integers(*axis_tensor, "the axis"));
  if (axes.size() != 1) return invalid("not exactly one axis");
  MACAW_ASSIGN(const std::size_t axis, normal_axis(axes[0], in->rank()));
  if (extents.size() != call.outputs.size())
    return invalid(fmt::format("{} sizes for {} outputs", extents.size(), call.outputs.size()));
  std::int64_t rest = in->shape()[axis];
  for (const auto extent : extents) {
    if (extent < -1 || extent > in->shape()[axis]) return invalid(fmt::format("a size of {}", extent));
    rest -= std::max<std::int64_t>(extent, 0);
  }
  // One size may be left open.
  if (const auto open = std::ranges::find(extents, -1); open != extents.end()) *open = rest;
  else if (rest != 0) return invalid("the sizes do not add up to the axis");
  if (std::ranges::any_of(extents, [](std::int64_t extent) { return extent < 0; }))
    return invalid("the sizes do not add up to the axis");
  return split_into_outputs(call, *in, axis, extents);
}

}  // namespace

extern constexpr Definition kDefinition = {"SPLIT_V", 3, 3, 1, -1, split_v};

}  // namespace macaw::tflite::SPLIT_V
