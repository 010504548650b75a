#pragma once
#include <macaw/tensor.hpp>

#include <span>

namespace macaw::tosa {

/// Working memory of a kernel, of any contents at first; counted with the tensors.
template <class T>
class Scratch {
 public:
  explicit Scratch(std::size_t size) : size_(size), memory_(size * sizeof(T), TensorMemory::ZeroFill::kLazy) {
    (void)memory_.uninitialized();
  }

  [[nodiscard]] T* data() { return reinterpret_cast<T*>(memory_.data()); }
  [[nodiscard]] const T* data() const { return reinterpret_cast<const T*>(memory_.data()); }
  [[nodiscard]] std::size_t size() const { return size_; }
  [[nodiscard]] std::span<T> span() { return {data(), size_}; }
  [[nodiscard]] T& operator[](std::size_t i) { return data()[i]; }
  [[nodiscard]] const T& operator[](std::size_t i) const { return data()[i]; }

 private:
  std::size_t size_;
  TensorMemory memory_;
};

}  // namespace macaw::tosa
