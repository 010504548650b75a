#include "reference/tflite/strided.hpp"

// tensorflow/tflite-micro @90b983c2b tensorflow/lite/micro/kernels/reverse.cc.
namespace macaw::tflite::REVERSE_V2 {
namespace {

Result<void> reverse_v2(Call& call) {
  MACAW_ASSIGN(const Tensor* in, call.input(0));
  MACAW_ASSIGN(const Tensor* axis_tensor, call.input(1));
  MACAW_ASSIGN(const auto axes, integers(*axis_tensor, "the axes"));
  MACAW_CHECK(expect(call.output(), in->dtype(), "the output"));
  MACAW_CHECK(expect(call.output(), in->shape(), "the output"));
  std::vector<std::int64_t> strides(in->rank());
  if (in->size() == 0) return {};
  for (std::size_t a = 0; a < in->rank(); ++a) strides[a] = product(in->shape(), a + 1, in->rank());
  std::int64_t offset = 0;
  for (const auto given : axes) {
    MACAW_ASSIGN(const std::size_t axis, normal_axis(given, in->rank()));
    if (strides[axis] < 0) return invalid("an axis is given twice");
    offset += (in->shape()[axis] - 1) * strides[axis];
    strides[axis] = -strides[axis];
  }
  gather_strided(*in, offset, strides, call.output());
  return {};
}

}  // namespace

extern constexpr Definition kDefinition = {"REVERSE_V2", 2, 2, 1, 1, reverse_v2};

}  // namespace macaw::tflite::REVERSE_V2
