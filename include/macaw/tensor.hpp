#pragma once
#include <macaw/dtype.hpp>
#include <macaw/error.hpp>

#include <cassert>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace macaw {

using Shape = std::vector<std::int64_t>;

/// Elements of a shape (1 for rank 0); an error if an extent is negative or the product or `element_size` times it
/// exceeds 2^63-1.
[[nodiscard]] Result<std::int64_t> element_count(const Shape& shape, std::size_t element_size = 1);

/// Shape of the scales for values of a shape: one scale for every block of values along the last dimension; the last
/// block is smaller if the extent is not a multiple (which the operators' rules forbid). A scalar has one. `block_size`
/// is at least 1.
[[nodiscard]] Shape scale_shape(Shape shape, std::int64_t block_size = kInnermostBlockSize);

/// Bytes of a tensor, scales of a block-scaled type included; errors as of element_count().
[[nodiscard]] Result<std::int64_t> byte_count(DType dtype, const Shape& shape);

/// "[1, 16, 16, 8]"
[[nodiscard]] std::string to_string(const Shape& shape);

/// Bytes held by TensorMemory objects, allocated less freed by the calling thread, and their peak.
struct MemoryUse {
  std::int64_t now = 0, peak = 0;
};
/// Use by the calling thread. To measure a peak, first set `peak` to `now`.
[[nodiscard]] MemoryUse& memory_use();

/// Bytes of a tensor, aligned for vectors: owned, or a view of memory with another owner that does not change. Copies
/// own their bytes; a view becomes an owner when it is written to.
class TensorMemory {
 public:
  enum class ZeroFill : std::uint8_t { kNow, kLazy, kNoAllocation };

  TensorMemory() = default;
  /// Zeros; with kLazy not before the first call of data(), and never if uninitialized() comes first. With
  /// kNoAllocation memory is not allocated before that either, and data() of a const object is null.
  explicit TensorMemory(std::size_t size, ZeroFill fill = ZeroFill::kNow);
  /// `owner`, which is not null, keeps the bytes alive.
  TensorMemory(std::span<const std::byte> bytes, std::shared_ptr<const void> owner);
  TensorMemory(const TensorMemory& other);
  TensorMemory(TensorMemory&& other) noexcept { swap(other); }
  TensorMemory& operator=(TensorMemory other) noexcept {
    swap(other);
    return *this;
  }
  ~TensorMemory();

  [[nodiscard]] std::size_t size() const { return size_; }
  [[nodiscard]] const std::byte* data() const { return data_; }
  [[nodiscard]] std::byte* data() {
    if (unfilled_ || owner_) settle();
    return data_;
  }
  /// For callers that write every byte: memory of any contents.
  [[nodiscard]] std::byte* uninitialized() {
    if (!data_) allocate_now();
    unfilled_ = false;
    return data();
  }
  [[nodiscard]] bool is_view() const { return owner_ != nullptr; }

 private:
  void swap(TensorMemory& other) noexcept;
  void settle();
  void allocate_now();

  std::byte* data_ = nullptr;
  std::size_t size_ = 0;
  std::shared_ptr<const void> owner_;  ///< of a view
  bool unfilled_ = false;
};

/// A dense row-major tensor. Rank is a run-time value, element type a tag. The elements of a block-scaled type are its
/// values, followed by the scales: bytes() has both, data() the values.
class Tensor {
 public:
  Tensor() = default;

  /// Zero-filled. The caller has checked the shape with element_count().
  Tensor(DType dtype, Shape shape);

  /// A zero-filled tensor for a shape from untrusted input: extents, overflow and memory are checked.
  [[nodiscard]] static Result<Tensor> create(DType dtype, Shape shape,
                                             TensorMemory::ZeroFill fill = TensorMemory::ZeroFill::kNow);

  /// A view of a tensor's bytes, which `owner` keeps alive; a copy if they are not aligned to 8. Errors: those of
  /// create(), and if the number of bytes is not the shape's.
  [[nodiscard]] static Result<Tensor> view(DType dtype, Shape shape, std::span<const std::byte> bytes,
                                           std::shared_ptr<const void> owner);

  [[nodiscard]] DType dtype() const { return dtype_; }
  [[nodiscard]] const Shape& shape() const { return shape_; }
  [[nodiscard]] std::size_t rank() const { return shape_.size(); }
  [[nodiscard]] std::int64_t size() const { return size_; }
  [[nodiscard]] std::span<std::byte> bytes() { return {bytes_.data(), bytes_.size()}; }
  [[nodiscard]] std::span<const std::byte> bytes() const { return {bytes_.data(), bytes_.size()}; }
  /// For callers that write every byte: the contents may be anything.
  [[nodiscard]] std::span<std::byte> uninitialized_bytes() { return {bytes_.uninitialized(), bytes_.size()}; }
  [[nodiscard]] bool is_view() const { return bytes_.is_view(); }

  /// The values and the scales of a tensor of a block-scaled type, as tensors of value type and scale type. They are
  /// views: valid as long as this tensor lives and is not written to.
  [[nodiscard]] Tensor values() const;
  [[nodiscard]] Tensor scales() const;

  /// Elements as T, which must have the size of the stored element.
  template <class T>
  [[nodiscard]] std::span<T> data() {
    assert(sizeof(T) == size_of(dtype_));
    return {reinterpret_cast<T*>(bytes_.data()), static_cast<std::size_t>(size_)};
  }
  template <class T>
  [[nodiscard]] std::span<const T> data() const {
    assert(sizeof(T) == size_of(dtype_));
    return {reinterpret_cast<const T*>(bytes_.data()), static_cast<std::size_t>(size_)};
  }
  template <class T>
  [[nodiscard]] std::span<T> uninitialized_data() {
    assert(sizeof(T) == size_of(dtype_));
    return {reinterpret_cast<T*>(bytes_.uninitialized()), static_cast<std::size_t>(size_)};
  }

  /// Changes the shape to one with the same number of elements (and scales).
  void reshape(Shape shape);

  friend bool operator==(const Tensor& a, const Tensor& b);

 private:
  DType dtype_ = DType::kINT8;
  Shape shape_;
  std::int64_t size_ = 0;
  TensorMemory bytes_;
};

}  // namespace macaw
