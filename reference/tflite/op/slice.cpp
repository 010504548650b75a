#include <fmt/format.h>

#include "reference/tflite/strided.hpp"

// tensorflow/tflite-micro @90b983c2b tensorflow/lite/micro/kernels/slice.cc.
namespace macaw::tflite::SLICE {
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

}  // namespace

extern constexpr Definition kDefinition = {"SLICE", 3, 3, 1, 1, slice};

}  // namespace macaw::tflite::SLICE
