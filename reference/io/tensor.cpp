#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstring>
#include <limits>
#include <new>
#include <stdexcept>
#include <utility>

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

MemoryUse& memory_use() {
  thread_local MemoryUse use;
  return use;
}

namespace {

// Of the vectors of any target, and of a cache line.
constexpr std::align_val_t kAlignment{64};

std::byte* allocate(std::size_t size) {
  if (size == 0) return nullptr;
  auto* bytes = static_cast<std::byte*>(::operator new(size, kAlignment));
  auto& use = memory_use();
  use.now += static_cast<std::int64_t>(size);
  use.peak = std::max(use.peak, use.now);
  return bytes;
}

}  // namespace

TensorMemory::TensorMemory(std::size_t size, Fill fill) : data_(allocate(size)), size_(size), unfilled_(size != 0) {
  if (fill == Fill::kNow) settle();
}

TensorMemory::TensorMemory(std::span<const std::byte> bytes, std::shared_ptr<const void> owner)
    : data_(const_cast<std::byte*>(bytes.data())),  // written by nobody: settle() comes first
      size_(bytes.size()),
      owner_(std::move(owner)) {}

TensorMemory::TensorMemory(const TensorMemory& other)
    : data_(allocate(other.size_)), size_(other.size_), unfilled_(other.unfilled_) {
  if (size_ != 0 && !unfilled_) std::memcpy(data_, other.data_, size_);
}

TensorMemory::~TensorMemory() {
  if (owner_ || !data_) return;
  ::operator delete(data_, size_, kAlignment);
  memory_use().now -= static_cast<std::int64_t>(size_);
}

void TensorMemory::swap(TensorMemory& other) noexcept {
  std::swap(data_, other.data_);
  std::swap(size_, other.size_);
  std::swap(owner_, other.owner_);
  std::swap(unfilled_, other.unfilled_);
}

void TensorMemory::settle() {
  if (owner_) *this = TensorMemory(std::as_const(*this));
  if (unfilled_) std::memset(data_, 0, size_);
  unfilled_ = false;
}

Tensor::Tensor(DType dtype, Shape shape) : dtype_(dtype), shape_(std::move(shape)) {
  const auto count = element_count(shape_, size_of(dtype));
  if (!count) throw std::logic_error(count.error().message);
  size_ = *count;
  bytes_ = TensorMemory(static_cast<std::size_t>(size_) * size_of(dtype));
}

Result<Tensor> Tensor::create(DType dtype, Shape shape, TensorMemory::Fill fill) {
  MACAW_ASSIGN(const auto count, element_count(shape, size_of(dtype)));
  try {
    Tensor tensor;
    tensor.dtype_ = dtype;
    tensor.shape_ = std::move(shape);
    tensor.size_ = count;
    tensor.bytes_ = TensorMemory(static_cast<std::size_t>(count) * size_of(dtype), fill);
    return tensor;
  } catch (const std::exception&) {  // bad_alloc or length_error
    return fail(ErrorCode::kUnsupported,
                fmt::format("no memory for {} elements of {}", count, macaw::to_string(dtype)));
  }
}

Result<Tensor> Tensor::view(DType dtype, Shape shape, std::span<const std::byte> bytes,
                            std::shared_ptr<const void> owner) {
  MACAW_ASSIGN(const auto count, element_count(shape, size_of(dtype)));
  if (bytes.size() != static_cast<std::size_t>(count) * size_of(dtype))
    return fail(ErrorCode::kInvalidFile,
                fmt::format("{} bytes for {} elements of {}", bytes.size(), count, macaw::to_string(dtype)));
  if (reinterpret_cast<std::uintptr_t>(bytes.data()) % 8 != 0) {
    MACAW_ASSIGN(auto copy, create(dtype, std::move(shape), TensorMemory::Fill::kLater));
    if (!bytes.empty()) std::memcpy(copy.bytes_to_fill().data(), bytes.data(), bytes.size());
    return copy;
  }
  Tensor tensor;
  tensor.dtype_ = dtype;
  tensor.shape_ = std::move(shape);
  tensor.size_ = count;
  tensor.bytes_ = TensorMemory(bytes, std::move(owner));
  return tensor;
}

bool operator==(const Tensor& a, const Tensor& b) {
  return a.dtype_ == b.dtype_ && a.shape_ == b.shape_ && std::ranges::equal(a.bytes(), b.bytes());
}

void Tensor::reshape(Shape shape) {
  const auto count = element_count(shape, size_of(dtype_));
  if (!count || *count != size_) throw std::logic_error("reshape changes the element count");
  shape_ = std::move(shape);
}

}  // namespace macaw
