#include <algorithm>

#include <fmt/format.h>

#include "reference/tflite/call.hpp"

// tensorflow/tflite-micro @90b983c2b tensorflow/lite/micro/kernels/gather_nd.cc.
namespace macaw::tflite::GATHER_ND {
namespace {

Result<void> gather_nd(Call& call) {
  MACAW_ASSIGN(const Tensor* in, call.input(0));
  MACAW_ASSIGN(const Tensor* index_tensor, call.input(1));
  MACAW_ASSIGN(const auto indices, integers(*index_tensor, "the indices"));
  Tensor& out = call.output();
  MACAW_CHECK(expect(out, in->dtype(), "the output"));
  if (index_tensor->rank() == 0) return invalid("the indices have no axis");
  const auto depth = static_cast<std::size_t>(index_tensor->shape().back());
  if (depth > in->rank()) return invalid(fmt::format("indices of {} axes for rank {}", depth, in->rank()));
  Shape shape(index_tensor->shape().begin(), index_tensor->shape().end() - 1);
  shape.insert(shape.end(), in->shape().begin() + std::ptrdiff_t(depth), in->shape().end());
  MACAW_CHECK(expect(out, shape, "the output"));
  const auto run = static_cast<std::size_t>(product(in->shape(), depth, in->rank())) * size_of(in->dtype());
  const auto from = in->bytes();
  auto to = out.bytes_to_fill().begin();
  const auto count = product(index_tensor->shape(), 0, index_tensor->rank() - 1);
  for (std::int64_t i = 0; i < count; ++i) {
    std::int64_t at = 0;
    for (std::size_t a = 0; a < depth; ++a) {
      const auto index = indices[static_cast<std::size_t>(i) * depth + a];
      if (index < 0 || index >= in->shape()[a])
        return invalid(fmt::format("index {} of {} elements of axis {}", index, in->shape()[a], a));
      at = at * in->shape()[a] + index;
    }
    to = std::ranges::copy(from.subspan(static_cast<std::size_t>(at) * run, run), to).out;
  }
  return {};
}

}  // namespace

extern constexpr Definition kDefinition = {"GATHER_ND", 2, 2, 1, 1, gather_nd};

}  // namespace macaw::tflite::GATHER_ND
