#pragma once
#include <limits>
#include <memory>

#include "reference/tosa/kernels/best_version.hpp"
#include "reference/tosa/kernels/float_operand.hpp"

// Operators that sum products. The bound of their compliance rule is the operator itself on the magnitudes of its
// operands (tosa-specification, chapters/introduction.adoc, dot product accuracy); without local_bound, on the greatest
// magnitude of the input in place of every one.

namespace macaw::tosa {

[[nodiscard]] inline Magnitudes magnitudes_of_operand(const Call& call) {
  return call.bounds ? Magnitudes::kEach : Magnitudes::kNo;
}
[[nodiscard]] inline Magnitudes magnitudes_of_input(const Call& call) {
  return call.bounds && !call.attr(Attr::k_local_bound) ? Magnitudes::kGreatest : magnitudes_of_operand(call);
}

template <class T>
FloatInput<T> dot_product_operand(const Call& call, std::size_t i) {
  return FloatInput<T>(call.in(i), magnitudes_of_operand(call));
}
template <class T>
FloatInput<T> dot_product_input(const Call& call, std::size_t i) {
  return FloatInput<T>(call.in(i), magnitudes_of_input(call));
}

/// Elements of an operand as T, float or double; those of a tensor that does not hold T are converted when they are
/// asked for.
template <class T>
class DotProductOperand {
 public:
  DotProductOperand(const Tensor& tensor, Magnitudes magnitudes) : tensor_(tensor) {
    if (magnitudes != Magnitudes::kNo) {
      magnitudes_ = std::make_unique<const FloatInput<T>>(tensor, magnitudes);
      data_ = magnitudes_->data();
    } else if (tensor.dtype() == kFloatType<T>) {
      data_ = tensor.data<T>().data();
    }
  }

  [[nodiscard]] std::int64_t size() const { return tensor_.size(); }
  /// All elements, or null if they must be converted.
  [[nodiscard]] const T* data() const { return data_; }

  /// Writes the elements [first, first + count).
  void operator()(std::int64_t first, std::int64_t count, T* out) const {
    if (data_) std::copy_n(data_ + first, count, out);
    else load_floats(tensor_, first, std::span(out, static_cast<std::size_t>(count)));
  }
  /// The elements [first, first + count), in `memory` if they must be converted.
  [[nodiscard]] const T* part(std::int64_t first, std::int64_t count, T* memory) const {
    if (data_) return data_ + first;
    (*this)(first, count, memory);
    return memory;
  }

 private:
  const Tensor& tensor_;
  std::unique_ptr<const FloatInput<T>> magnitudes_;  ///< of all elements, where they are wanted
  const T* data_ = nullptr;
};

/// tosa_extra_multiplies of the specification: whether elements outside the input are multiplied as zeros by the
/// weights. Implementations may do so; the reference run does not, the bounds run does
/// (pseudocode/library/tosa_reference_check_dotproduct.tosac).
inline bool multiplies_padding(const Call& call) { return call.bounds; }

/// Input, weight and bias of a convolution; the bias is one or one for each output channel.
template <class T>
struct ConvolutionOperands {
  explicit ConvolutionOperands(const Call& call)
      : input(call.in(0), magnitudes_of_input(call)),
        weight(call.in(1), magnitudes_of_operand(call)),
        bias(dot_product_operand<T>(call, 2)) {}

  DotProductOperand<T> input, weight;
  FloatInput<T> bias;
};

/// `sums[i]`, with the type's own NaN for any.
template <class T>
void copy_sums(const T* sums, std::size_t count, T* out) {
  for (std::size_t i = 0; i < count; ++i) out[i] = sums[i] != sums[i] ? std::numeric_limits<T>::quiet_NaN() : sums[i];
}

/// Rounds sums and stores them as elements of an output, all of which must be written.
template <class T>
class StoreSums {
 public:
  explicit StoreSums(const Call& call)
      : dtype_(call.out(0).dtype()),
        out_(call.out(0).uninitialized_bytes().data()),
        copy_(dtype_ == kFloatType<T> ? best_version<copy_sums<T>>(call.kernels) : nullptr) {}

  /// From element `first` on.
  void operator()(std::span<const T> sums, std::int64_t first) const {
    auto* to = out_ + static_cast<std::size_t>(first) * size_of(dtype_);
    if (copy_) copy_(sums.data(), sums.size(), reinterpret_cast<T*>(to));
    else encode_floats(sums, dtype_, to);
  }

 private:
  DType dtype_;
  std::byte* out_;
  void (*copy_)(const T*, std::size_t, T*);
};

}  // namespace macaw::tosa
