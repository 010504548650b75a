#pragma once
#include "reference/tosa/kernels/elementwise/float_blocks.hpp"

// Element-wise operators in floating point, as kernels for TypeRow. F is a generic function of values of one type.

namespace macaw::tosa {

/// Result of a bounds run where the specification gives an operator no bound of its own: its precise result.
struct NoBound {};

/// out[i] = F(in[i]); in a bounds run Bound(in[i]).
template <auto F, auto Bound = NoBound{}>
struct FloatUnary {
  template <class T>
  static Result<void> run(Call& call) {
    if constexpr (!std::is_same_v<std::remove_cv_t<decltype(Bound)>, NoBound>) {
      if (call.bounds) {
        apply_to_blocks<T>(call, [](T x) { return Bound(x); });
        return {};
      }
    }
    apply_to_blocks<T>(call, [](T x) { return F(x); });
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
    // A lambda, not the pointer: the loop over it is its own.
    apply_to_blocks<T>(call, [](T x, T y) { return F(x, y); });
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
    apply_to_blocks<T>(call, [](T x, T y) { return F(x, y); });
    return {};
  }
};
template <auto F>
inline constexpr Kernel kFloatComparison = float_kernel<FloatComparison<F>>;

}  // namespace macaw::tosa
