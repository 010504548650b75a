#pragma once
#include <algorithm>
#include <array>

#include "reference/tflite/call.hpp"

namespace macaw::tflite {

/// Operands of one output shape, each of which repeats along its axes of extent 1 and along leading axes that it lacks.
class Broadcast {
 public:
  /// kInvalidGraph if a shape does not broadcast to the output's.
  [[nodiscard]] static Result<Broadcast> create(const std::vector<Shape>& operands, const Shape& output);

  /// Calls f(output index, array of operand indices) in the order of the output.
  template <std::size_t kOperands, class F>
  void for_each(F&& f) const {
    std::array<std::size_t, kOperands> at{};
    std::vector<std::int64_t> position(extents_.size());
    const std::size_t inner = extents_.size() - 1;
    for (std::size_t out = 0; out < count_;) {
      auto here = at;
      for (std::int64_t i = 0; i < extents_[inner]; ++i, ++out) {
        f(out, here);
        for (std::size_t k = 0; k < kOperands; ++k) here[k] += strides_[k][inner];
      }
      for (std::size_t axis = inner; axis-- > 0;) {
        for (std::size_t k = 0; k < kOperands; ++k) at[k] += strides_[k][axis];
        if (++position[axis] < extents_[axis]) break;
        for (std::size_t k = 0; k < kOperands; ++k)
          at[k] -= strides_[k][axis] * static_cast<std::size_t>(extents_[axis]);
        position[axis] = 0;
      }
    }
  }

 private:
  std::size_t count_ = 0;
  Shape extents_;                                  // of the output, at least one
  std::vector<std::vector<std::size_t>> strides_;  // of each operand along the output's axes, 0 where it repeats
};

/// out = f(a, b) of inputs 0 and 1 of type In and output 0 of type Out, which the caller has checked.
template <class In, class Out, class F>
[[nodiscard]] Result<void> binary(Call& call, F&& f) {
  MACAW_ASSIGN(const Tensor* a, call.input(0));
  MACAW_ASSIGN(const Tensor* b, call.input(1));
  Tensor& out = call.output();
  MACAW_ASSIGN(const auto broadcast, Broadcast::create({a->shape(), b->shape()}, out.shape()));
  const auto x = a->data<In>(), y = b->data<In>();
  const auto z = out.uninitialized_data<Out>();
  broadcast.for_each<2>([&](std::size_t i, const auto& at) { z[i] = f(x[at[0]], y[at[1]]); });
  return {};
}

/// An error unless inputs 0 and 1 have one type.
[[nodiscard]] Result<DType> common_type(const Call& call);

/// The type of input 0; an error unless output 0 has its type and shape.
[[nodiscard]] Result<DType> same_type_and_shape(const Call& call);
/// An error unless output 0 has the shape of input 0.
[[nodiscard]] Result<const Tensor*> same_shape(const Call& call);

/// out = f(in) of input 0, of type In, and output 0, of type Out and the same shape, as the caller has checked.
template <class In, class Out, class F>
[[nodiscard]] Result<void> unary(Call& call, F&& f) {
  const auto in = call.inputs[0].value->data<In>();
  std::transform(in.begin(), in.end(), call.output().uninitialized_data<Out>().begin(), f);
  return {};
}

}  // namespace macaw::tflite
