#pragma once
#include "reference/op/elementwise/broadcast.hpp"
#include "reference/op/float_operand.hpp"

// Element-wise operators in floating point, as kernels for TypeRow. F is a generic function of values of one type.

namespace macaw::tosa {

/// What a bounds run leaves where the specification gives an operator no bound of its own: its precise result.
struct NoBound {};

/// out[i] = F(in[i]); in a bounds run Bound(in[i]).
template <auto F, auto Bound = NoBound{}>
struct FloatUnary {
  template <class T>
  static Result<void> run(Call& call) {
    const FloatInput<T> in(call.in(0));
    FloatOutput<T> out(call.out(0), Contents::kAny);
    if constexpr (!std::is_same_v<std::remove_cv_t<decltype(Bound)>, NoBound>)
      if (call.bounds) {
        for (std::size_t i = 0; i < out.size(); ++i) out[i] = Bound(in[i]);
        return {};
      }
    for (std::size_t i = 0; i < out.size(); ++i) out[i] = F(in[i]);
    return {};
  }
};
template <auto F, auto Bound = NoBound{}>
inline constexpr Kernel kFloatUnary = float_kernel<FloatUnary<F, Bound>>;

/// out[i] = F(a[i], b[i]) with broadcasting.
template <auto F>
struct FloatBinary {
  template <class T>
  static Result<void> run(Call& call) {
    const FloatInput<T> a(call.in(0)), b(call.in(1));
    FloatOutput<T> out(call.out(0), Contents::kAny);
    // A lambda, not the pointer: the loop over it is its own.
    broadcast_pair(call, a.data(), b.data(), out.data(), [](T x, T y) { return F(x, y); });
    return {};
  }
};
template <auto F>
inline constexpr Kernel kFloatBinary = float_kernel<FloatBinary<F>>;

/// The same with a BOOL output.
template <auto F>
struct FloatComparison {
  template <class T>
  static Result<void> run(Call& call) {
    const FloatInput<T> a(call.in(0)), b(call.in(1));
    broadcast_pair(call, a.data(), b.data(), call.fill_data<bool>(0).data(), [](T x, T y) { return F(x, y); });
    return {};
  }
};
template <auto F>
inline constexpr Kernel kFloatComparison = float_kernel<FloatComparison<F>>;

/// Computes a function of the C library in double and rounds: its error disappears in the rounding to float but for
/// rare cases, so that results do not depend on the library.
template <auto F, class T>
[[nodiscard]] T in_double(T value) {
  return static_cast<T>(F(static_cast<double>(value)));
}

}  // namespace macaw::tosa
