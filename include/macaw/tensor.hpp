#pragma once
#include <macaw/dtype.hpp>
#include <macaw/error.hpp>

#include <cassert>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace macaw {

using Shape = std::vector<std::int64_t>;

/// Elements of a shape (1 for rank 0); an error if an extent is negative or the product or `element_size` times it
/// exceeds 2^63-1.
[[nodiscard]] Result<std::int64_t> element_count(const Shape& shape, std::size_t element_size = 1);

/// "[1, 16, 16, 8]"
[[nodiscard]] std::string to_string(const Shape& shape);

/// A dense row-major tensor that owns its bytes. Rank is a run-time value, element type a tag.
class Tensor {
 public:
  Tensor() = default;

  /// Zero-filled. The caller has checked the shape with element_count().
  Tensor(DType dtype, Shape shape);

  /// As above, for shapes that come from outside: checks extents, overflow and memory.
  [[nodiscard]] static Result<Tensor> create(DType dtype, Shape shape);

  [[nodiscard]] DType dtype() const { return dtype_; }
  [[nodiscard]] const Shape& shape() const { return shape_; }
  [[nodiscard]] std::size_t rank() const { return shape_.size(); }
  [[nodiscard]] std::int64_t size() const { return size_; }
  [[nodiscard]] std::span<std::byte> bytes() { return bytes_; }
  [[nodiscard]] std::span<const std::byte> bytes() const { return bytes_; }

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

  /// The same bytes under another shape of as many elements.
  void reshape(Shape shape);

  friend bool operator==(const Tensor&, const Tensor&) = default;

 private:
  DType dtype_ = DType::kINT8;
  Shape shape_;
  std::int64_t size_ = 0;
  std::vector<std::byte> bytes_;
};

}  // namespace macaw
