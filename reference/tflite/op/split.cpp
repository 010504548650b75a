#include <fmt/format.h>

#include "reference/tflite/op/join.hpp"

// tensorflow/tflite-micro @90b983c2b tensorflow/lite/micro/kernels/split.cc.
namespace macaw::tflite::SPLIT {
namespace {

Result<void> split(Call& call) {
  MACAW_ASSIGN(const Tensor* axis_tensor, call.input(0));
  MACAW_ASSIGN(const Tensor* in, call.input(1));
  MACAW_ASSIGN(const auto axes, integers(*axis_tensor, "the axis"));
  if (axes.size() != 1) return invalid("not exactly one axis");
  MACAW_ASSIGN(const std::size_t axis, normal_axis(axes[0], in->rank()));
  const auto parts = static_cast<std::int64_t>(call.outputs.size());
  if (in->shape()[axis] % parts != 0) return invalid(fmt::format("{} elements in {} parts", in->shape()[axis], parts));
  const std::vector<std::int64_t> extents(call.outputs.size(), in->shape()[axis] / parts);
  return split_into_outputs(call, *in, axis, extents);
}

}  // namespace

extern constexpr Definition kDefinition = {"SPLIT", 2, 2, 1, -1, split};

}  // namespace macaw::tflite::SPLIT
