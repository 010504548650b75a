#include "workflow/compare/compare.hpp"

#include <cstring>

namespace macaw::compare {
namespace {

std::vector<std::int64_t> unravel(std::int64_t flat, const Shape& shape) {
  std::vector<std::int64_t> index(shape.size());
  for (std::size_t axis = shape.size(); axis-- > 0;) {
    index[axis] = flat % shape[axis];
    flat /= shape[axis];
  }
  return index;
}

}  // namespace

std::int64_t integer_at(const Tensor& tensor, std::int64_t index) {
  const auto i = static_cast<std::size_t>(index);
  switch (tensor.dtype()) {
    case DType::kBOOL: return tensor.bytes()[i] != std::byte{0};
    case DType::kUINT8: return tensor.data<std::uint8_t>()[i];
    case DType::kUINT16: return tensor.data<std::uint16_t>()[i];
    default: break;
  }
  switch (size_of(tensor.dtype())) {
    case 1: return tensor.data<std::int8_t>()[i];
    case 2: return tensor.data<std::int16_t>()[i];
    case 4: return tensor.data<std::int32_t>()[i];
    default: return tensor.data<std::int64_t>()[i];
  }
}

OutputComparison compare_tensors(const std::string& name, const Tensor& expected, const Tensor& actual) {
  OutputComparison result{.name = name, .elements = expected.size(), .index = {}};
  const auto width = size_of(expected.dtype());
  for (std::int64_t i = 0; i < expected.size(); ++i) {
    const auto at = static_cast<std::size_t>(i) * width;
    if (std::memcmp(expected.bytes().data() + at, actual.bytes().data() + at, width) == 0) continue;
    if (result.different++ > 0) continue;
    result.index = unravel(i, expected.shape());
    result.expected = integer_at(expected, i);
    result.actual = integer_at(actual, i);
  }
  return result;
}

}  // namespace macaw::compare
