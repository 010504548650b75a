#include <fmt/format.h>
#include <fmt/ranges.h>

#include <limits>
#include <new>
#include <stdexcept>

#include <macaw/tensor.hpp>

namespace macaw {

Result<std::int64_t> element_count(const Shape& shape, std::size_t element_size) {
  std::int64_t count = 1;
  bool empty = false;
  for (const auto extent : shape) {
    if (extent < 0)
      return fail(ErrorCode::kInvalidFile, fmt::format("shape {} has a negative extent", to_string(shape)));
    empty |= extent == 0;
    if (extent != 0 && __builtin_mul_overflow(count, extent, &count))
      return fail(ErrorCode::kInvalidFile, fmt::format("shape {} has more than 2^63-1 elements", to_string(shape)));
  }
  std::int64_t bytes;
  if (__builtin_mul_overflow(count, static_cast<std::int64_t>(element_size), &bytes))
    return fail(ErrorCode::kInvalidFile, fmt::format("a tensor of shape {} exceeds 2^63-1 bytes", to_string(shape)));
  return empty ? 0 : count;
}

std::string to_string(const Shape& shape) { return fmt::format("[{}]", fmt::join(shape, ", ")); }

Tensor::Tensor(DType dtype, Shape shape) : dtype_(dtype), shape_(std::move(shape)) {
  const auto count = element_count(shape_, size_of(dtype));
  if (!count) throw std::logic_error(count.error().message);
  size_ = *count;
  bytes_.resize(static_cast<std::size_t>(size_) * size_of(dtype));
}

Result<Tensor> Tensor::create(DType dtype, Shape shape) {
  MACAW_ASSIGN(const auto count, element_count(shape, size_of(dtype)));
  try {
    return Tensor(dtype, std::move(shape));
  } catch (const std::exception&) {  // bad_alloc or length_error
    return fail(ErrorCode::kUnsupported,
                fmt::format("no memory for {} elements of {}", count, macaw::to_string(dtype)));
  }
}

void Tensor::reshape(Shape shape) {
  const auto count = element_count(shape, size_of(dtype_));
  if (!count || *count != size_) throw std::logic_error("reshape changes the element count");
  shape_ = std::move(shape);
}

}  // namespace macaw
