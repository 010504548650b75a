#pragma once
#include "reference/tosa/kernels/move/move.hpp"

namespace macaw::tosa {

/// The dense arrays that an operator moves elements between: its tensors, or the values or the scales of block-scaled
/// ones.
template <class T>
class Part {
 public:
  Part(const Call& call, T* out, bool scales) : call_(call), out_(out), scales_(scales) {}

  [[nodiscard]] const T* in(std::size_t i) const {
    return reinterpret_cast<const T*>(call_.in(i).bytes().data()) + (scales_ ? call_.in(i).size() : 0);
  }
  [[nodiscard]] Shape in_shape(std::size_t i) const { return shape(call_.in(i)); }
  [[nodiscard]] T* out() const { return out_; }
  [[nodiscard]] Shape out_shape() const { return shape(call_.out(0)); }
  /// Elements of the tensors' last dimension that one of the arrays' stands for.
  [[nodiscard]] std::int64_t block() const { return scales_ ? kInnermostBlockSize : 1; }

 private:
  [[nodiscard]] Shape shape(const Tensor& tensor) const {
    return scales_ ? scale_shape(tensor.shape()) : tensor.shape();
  }

  const Call& call_;
  T* out_;
  bool scales_;
};

/// Calls `move` with the elements of the output and the inputs of its type, and for block-scaled ones, whose last
/// extents are multiples of the block size, again with the scales (tensor_read_value_scale and
/// tensor_write_value_scale; pseudocode/library). Scales are as wide as values. `move` writes all of the output.
template <class F>
void for_each_part(const Call& call, F&& move) {
  auto& output = call.out(0);
  with_element(output.dtype(), [&]<class T>(std::type_identity<T>) {
    auto* out = reinterpret_cast<T*>(output.uninitialized_bytes().data());
    move(Part<T>(call, out, false));
    if (is_block_scale(output.dtype())) move(Part<T>(call, out + output.size(), true));
  });
}

}  // namespace macaw::tosa
