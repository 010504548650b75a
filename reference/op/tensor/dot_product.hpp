#pragma once
#include "reference/op/float_operand.hpp"

// Operators that sum products. The bound of their compliance rule is the operator itself on the magnitudes of its
// operands (tosa-specification, chapters/introduction.adoc, dot product accuracy); without local_bound, on the greatest
// magnitude of the input in place of every one.

namespace macaw::tosa {

template <class T>
FloatInput<T> dot_product_operand(const Call& call, std::size_t i) {
  return FloatInput<T>(call.in(i), call.bounds ? Magnitudes::kEach : Magnitudes::kNo);
}
template <class T>
FloatInput<T> dot_product_input(const Call& call, std::size_t i) {
  if (!call.bounds) return FloatInput<T>(call.in(i));
  return FloatInput<T>(call.in(i), call.attr(Attr::k_local_bound) ? Magnitudes::kEach : Magnitudes::kGreatest);
}

/// tosa_extra_multiplies of the specification: whether zeros in the place of elements outside the input are multiplied
/// by the weights. Implementations may, the reference run does not, the bounds run does
/// (pseudocode/library/tosa_reference_check_dotproduct.tosac).
inline bool multiplies_padding(const Call& call) { return call.bounds; }

/// Input, weight and bias of a convolution.
template <class T>
struct ConvolutionOperands {
  explicit ConvolutionOperands(const Call& call)
      : input(dot_product_input<T>(call, 0)),
        weight(dot_product_operand<T>(call, 1)),
        bias(dot_product_operand<T>(call, 2)) {}

  FloatInput<T> input, weight, bias;
};

}  // namespace macaw::tosa
