#pragma once
#include "reference/tosa/op/def.hpp"

namespace macaw::tosa {

inline constexpr Check kProductFits = found_by_kernel("output", "every sum must fit the output");

/// out[n] = (a[n] - a_zp) x (b[n] - b_zp) for int8 (INT32 sums) or int16 (INT48 sums). Operands: A [N,H,C], B, A_zp,
/// B_zp; B is [N,C,W], or if `transposed` [N or 1,W,C].
template <class T>
void batch_matmul(Call& call, bool transposed);

/// The same in floating point: T is float or double, sums and products are of T.
template <class T>
void float_matmul(Call& call, bool transposed);

template <bool kTransposed>
struct FloatMatmul {
  template <class T>
  static Result<void> run(Call& call) {
    float_matmul<T>(call, kTransposed);
    return {};
  }
};

extern template void float_matmul<float>(Call&, bool);
extern template void float_matmul<double>(Call&, bool);
template <>
void batch_matmul<std::int8_t>(Call& call, bool transposed);
template <>
void batch_matmul<std::int16_t>(Call& call, bool transposed);

}  // namespace macaw::tosa
