#include "reference/tflite/copy.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace macaw::tflite {
namespace {

template <class T>
void gather(const T* in, const std::vector<std::int64_t>& strides, const Shape& shape, std::span<T> out) {
  std::vector<std::int64_t> position(shape.size());
  for (T& value : out) {
    value = *in;
    for (std::size_t axis = shape.size(); axis-- > 0;) {
      in += strides[axis];
      if (++position[axis] < shape[axis]) break;
      in -= strides[axis] * shape[axis];
      position[axis] = 0;
    }
  }
}

}  // namespace

Result<void> copy_elements(Call& call) {
  MACAW_ASSIGN(const Tensor* in, call.input(0));
  Tensor& out = call.output();
  MACAW_CHECK(expect(out, in->dtype(), "the output"));
  if (out.size() != in->size()) return invalid(fmt::format("{} elements become {}", in->size(), out.size()));
  std::ranges::copy(in->bytes(), out.uninitialized_bytes().begin());
  return {};
}

void gather_strided(const Tensor& in, std::int64_t offset, const std::vector<std::int64_t>& strides, Tensor& out) {
  if (out.size() == 0) return;
  with_element_size(size_of(in.dtype()), [&]<class T>(T) {
    gather(in.data<T>().data() + offset, strides, out.shape(), out.uninitialized_data<T>());
  });
}

}  // namespace macaw::tflite
