#include "reference/tflite/call.hpp"

#include <cstring>

#include <fmt/format.h>

namespace macaw::tflite::TRANSPOSE {
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
  const std::size_t size = size_of(in->dtype());
  for (std::int64_t i = 0; i < out.size(); ++i) {
    std::int64_t rest = i, from = 0;
    for (std::size_t a = rank; a-- > 0;) {
      from += rest % shape[a] * strides[a];
      rest /= shape[a];
    }
    std::memcpy(out.bytes().data() + static_cast<std::size_t>(i) * size,
                in->bytes().data() + static_cast<std::size_t>(from) * size, size);
  }
  return {};
}

}  // namespace

extern constexpr Definition kDefinition = {"TRANSPOSE", 2, 2, 1, 1, transpose};

}  // namespace macaw::tflite::TRANSPOSE
