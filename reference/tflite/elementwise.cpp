#include "reference/tflite/elementwise.hpp"

#include <fmt/format.h>

namespace macaw::tflite {

Result<Broadcast> Broadcast::create(const std::vector<Shape>& operands, const Shape& output) {
  Broadcast result;
  result.extents_ = output.empty() ? Shape{1} : output;
  result.count_ = static_cast<std::size_t>(product(output, 0, output.size()));
  for (const auto& shape : operands) {
    auto& strides = result.strides_.emplace_back(result.extents_.size(), 0);
    if (shape.size() > output.size())
      return invalid(fmt::format("shape {} does not broadcast to {}", to_string(shape), to_string(output)));
    std::size_t stride = 1;
    for (std::size_t i = 0; i < shape.size(); ++i) {
      const auto from = shape.size() - 1 - i, to = output.size() - 1 - i;
      if (shape[from] != 1 && shape[from] != output[to])
        return invalid(fmt::format("shape {} does not broadcast to {}", to_string(shape), to_string(output)));
      if (shape[from] != 1) strides[to] = stride;
      stride *= static_cast<std::size_t>(shape[from]);
    }
  }
  return result;
}

Result<DType> common_type(const Call& call) {
  MACAW_ASSIGN(const Tensor* a, call.input(0));
  MACAW_ASSIGN(const Tensor* b, call.input(1));
  MACAW_CHECK(expect(*b, a->dtype(), "input 1"));
  return a->dtype();
}

Result<const Tensor*> same_shape(const Call& call) {
  MACAW_ASSIGN(const Tensor* in, call.input(0));
  MACAW_CHECK(expect(call.output(), in->shape(), "the output"));
  return in;
}

Result<DType> same_type_and_shape(const Call& call) {
  MACAW_ASSIGN(const Tensor* in, same_shape(call));
  MACAW_CHECK(expect(call.output(), in->dtype(), "the output"));
  return in->dtype();
}

}  // namespace macaw::tflite
