#include <fmt/format.h>

#include "reference/tflite/copy.hpp"

// tensorflow/tflite-micro @90b983c2b tensorflow/lite/micro/kernels/{transpose.cc,reverse.cc}.
namespace macaw::tflite::transposition {
namespace {

Result<void> transpose(Call& call) {
  MACAW_ASSIGN(const Tensor* in, call.input(0));
  MACAW_ASSIGN(const Tensor* order, call.input(1));
  Tensor& out = call.output();
  MACAW_CHECK(expect(out, in->dtype(), "the output"));
  MACAW_CHECK(expect(*order, DType::kINT32, "the permutation"));
  const std::size_t rank = in->rank();
  const auto axes = order->data<std::int32_t>();
  if (axes.size() != rank) return invalid(fmt::format("a permutation of {} axes for {}", axes.size(), rank));
  Shape shape(rank), strides(rank);
  std::vector<bool> seen(rank);
  for (std::size_t i = 0; i < rank; ++i) {
    MACAW_ASSIGN(const std::size_t axis, normal_axis(axes[i], rank));
    if (seen[axis]) return invalid(fmt::format("the permutation names axis {} twice", axis));
    seen[axis] = true;
    shape[i] = in->shape()[axis];
    strides[i] = in->size() == 0 ? 0 : product(in->shape(), axis + 1, rank);
  }
  MACAW_CHECK(expect(out, shape, "the output"));
  gather_strided(*in, 0, strides, out);
  return {};
}

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

constexpr Definition kDefinitions[] = {
    {"TRANSPOSE", 2, 2, 1, 1, transpose},
    {"REVERSE_V2", 2, 2, 1, 1, reverse_v2},
};

}  // namespace

extern constexpr Operators kOperators = kDefinitions;

}  // namespace macaw::tflite::transposition
