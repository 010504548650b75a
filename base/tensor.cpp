#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <limits>
#include <new>
#include <stdexcept>
#include <utility>

#include <macaw/tensor.hpp>

#include "base/large_memory.hpp"

namespace macaw {

namespace {

/// Whether a block of that many bytes can be addressed, which a program of 32 bits cannot with all sizes of files.
bool is_addressable(std::int64_t bytes) {
  if constexpr (sizeof(std::ptrdiff_t) >= sizeof(std::int64_t)) return true;
  else return bytes <= std::int64_t{PTRDIFF_MAX};
}

Error not_addressable(const Shape& shape) {
  return Error{ErrorCode::kUnsupported,
               fmt::format("a tensor of shape {} exceeds the {} bytes that this program can address", to_string(shape),
                           PTRDIFF_MAX),
               {}};
}

}  // namespace

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
  if (!is_addressable(bytes)) return tl::unexpected<Error>(not_addressable(shape));
  return empty ? 0 : count;
}

Shape scale_shape(Shape shape, std::int64_t block_size) {
  if (!shape.empty()) shape.back() = shape.back() / block_size + (shape.back() % block_size != 0);
  return shape;
}

Result<std::int64_t> byte_count(DType dtype, const Shape& shape) {
  const auto size = size_of(dtype);
  const auto* blocks = block_scale(dtype);
  // There are no more scales than values.
  MACAW_ASSIGN(const auto count, element_count(shape, blocks ? size + size_of(blocks->scale) : size));
  const auto values = count * static_cast<std::int64_t>(size);
  if (!blocks) return values;
  const auto bytes = values + *element_count(scale_shape(shape)) * static_cast<std::int64_t>(size_of(blocks->scale));
  if (!is_addressable(bytes)) return tl::unexpected<Error>(not_addressable(shape));
  return bytes;
}

std::string to_string(const Shape& shape) { return fmt::format("[{}]", fmt::join(shape, ", ")); }

MemoryUse& memory_use() {
  thread_local MemoryUse use;
  return use;
}

namespace {

// The alignment of the vectors of any target, and of a cache line.
constexpr std::align_val_t kAlignment{64};

// AddressSanitizer guards what it has allocated itself.
#ifdef __SANITIZE_ADDRESS__
constexpr bool is_large(std::size_t) { return false; }
#else
constexpr bool is_large(std::size_t size) { return size >= kLargeMemory; }
#endif

std::byte* allocate_large_or_throw(std::size_t size) {
  if (auto* bytes = allocate_large(size)) return bytes;
  if (const auto handler = std::get_new_handler()) handler();
  throw std::bad_alloc();
}

std::byte* allocate(std::size_t size) {
  if (size == 0) return nullptr;
  // AddressSanitizer lets only this form fail.
  auto* bytes = is_large(size) ? allocate_large_or_throw(size)
                               : static_cast<std::byte*>(::operator new(size, kAlignment, std::nothrow));
  if (!bytes) throw std::bad_alloc();
  auto& use = memory_use();
  use.now += static_cast<std::int64_t>(size);
  use.peak = std::max(use.peak, use.now);
  return bytes;
}

/// A view of bytes that the caller keeps alive.
TensorMemory unowned(std::span<const std::byte> bytes) {
  static const std::byte kNobody{};
  return {bytes, std::shared_ptr<const void>(std::shared_ptr<const void>(), &kNobody)};
}

}  // namespace

TensorMemory::TensorMemory(std::size_t size, ZeroFill fill) : size_(size), unfilled_(size != 0) {
  if (fill != ZeroFill::kNoAllocation) allocate_now();
  if (fill == ZeroFill::kNow) settle();
}

TensorMemory::TensorMemory(std::span<const std::byte> bytes, std::shared_ptr<const void> owner)
    : data_(const_cast<std::byte*>(bytes.data())),  // not written by anything: settle() comes first
      size_(bytes.size()),
      owner_(std::move(owner)) {}

TensorMemory::TensorMemory(const TensorMemory& other)
    : data_(allocate(other.size_)), size_(other.size_), unfilled_(other.unfilled_) {
  if (size_ != 0 && !unfilled_) std::memcpy(data_, other.data_, size_);
}

TensorMemory::~TensorMemory() {
  if (owner_ || !data_) return;
  if (is_large(size_)) free_large(data_, size_);
  else ::operator delete(data_, kAlignment);
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
  if (!unfilled_) return;
  if (!data_) allocate_now();
  std::memset(data_, 0, size_);
  unfilled_ = false;
}

void TensorMemory::allocate_now() { data_ = allocate(size_); }

Tensor::Tensor(DType dtype, Shape shape) : dtype_(dtype), shape_(std::move(shape)) {
  const auto size = byte_count(dtype, shape_);
  if (!size) throw std::logic_error(size.error().message);
  size_ = *element_count(shape_);
  bytes_ = TensorMemory(static_cast<std::size_t>(*size));
}

Result<Tensor> Tensor::create(DType dtype, Shape shape, TensorMemory::ZeroFill fill) {
  MACAW_ASSIGN(const auto size, byte_count(dtype, shape));
  const auto count = *element_count(shape);
  try {
    Tensor tensor;
    tensor.dtype_ = dtype;
    tensor.shape_ = std::move(shape);
    tensor.size_ = count;
    tensor.bytes_ = TensorMemory(static_cast<std::size_t>(size), fill);
    return tensor;
  } catch (const std::exception&) {  // bad_alloc or length_error
    return fail(ErrorCode::kUnsupported,
                fmt::format("no memory for {} elements of {}", count, macaw::to_string(dtype)));
  }
}

Result<Tensor> Tensor::view(DType dtype, Shape shape, std::span<const std::byte> bytes,
                            std::shared_ptr<const void> owner) {
  MACAW_ASSIGN(const auto size, byte_count(dtype, shape));
  const auto count = *element_count(shape);
  if (bytes.size() != static_cast<std::size_t>(size))
    return fail(ErrorCode::kInvalidFile,
                fmt::format("{} bytes for {} elements of {}", bytes.size(), count, macaw::to_string(dtype)));
  if (reinterpret_cast<std::uintptr_t>(bytes.data()) % 8 != 0) {
    MACAW_ASSIGN(auto copy, create(dtype, std::move(shape), TensorMemory::ZeroFill::kLazy));
    if (!bytes.empty()) std::memcpy(copy.uninitialized_bytes().data(), bytes.data(), bytes.size());
    return copy;
  }
  Tensor tensor;
  tensor.dtype_ = dtype;
  tensor.shape_ = std::move(shape);
  tensor.size_ = count;
  tensor.bytes_ = TensorMemory(bytes, std::move(owner));
  return tensor;
}

Tensor Tensor::values() const {
  Tensor view;
  view.dtype_ = block_scale(dtype_)->value;
  view.shape_ = shape_;
  view.size_ = size_;
  view.bytes_ = unowned(bytes().first(static_cast<std::size_t>(size_) * size_of(dtype_)));
  return view;
}

Tensor Tensor::scales() const {
  Tensor view;
  view.dtype_ = block_scale(dtype_)->scale;
  view.shape_ = scale_shape(shape_);
  view.size_ = *element_count(view.shape_);
  view.bytes_ = unowned(bytes().subspan(static_cast<std::size_t>(size_) * size_of(dtype_)));
  return view;
}

bool operator==(const Tensor& a, const Tensor& b) {
  return a.dtype_ == b.dtype_ && a.shape_ == b.shape_ && std::ranges::equal(a.bytes(), b.bytes());
}

void Tensor::reshape(Shape shape) {
  const auto size = byte_count(dtype_, shape);
  if (!size || *element_count(shape) != size_ || static_cast<std::size_t>(*size) != bytes_.size())
    throw std::logic_error("reshape changes the element count");
  shape_ = std::move(shape);
}

}  // namespace macaw
