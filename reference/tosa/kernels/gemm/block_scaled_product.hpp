#pragma once
#include <macaw/tosa/kernels.hpp>

#include "reference/tosa/kernels/gemm/float_gemm.hpp"

namespace macaw::tosa {

/// Rows of `k` values with a scale for each `block` of them; block divides k.
template <class T>
struct ScaledRows {
  const T* values = nullptr;
  const T* scales = nullptr;
  std::size_t rows = 0, k = 0, block = 1;
};

/// sums[i * b.rows + j] += the product of row i of `a` and row j of `b`: block after block, the sum of its products in
/// their order times the product of its two scales, every step rounded to T (pseudocode/operators/
/// MATMUL_T_BLOCK_SCALED.tosac).
template <class T>
void add_block_scaled_product(Kernels kernels, const ScaledRows<T>& a, const ScaledRows<T>& b, T* sums) {
  const auto blocks = a.k / a.block;
  FloatPanels<T> panels(a.block, b.rows);
  Scratch<T> products(a.rows * panels.columns());
  for (std::size_t at = 0; at < blocks; ++at) {
    for (std::size_t j = 0; j < b.rows; ++j)
      for (std::size_t i = 0; i < b.block; ++i) panels.at(i, j) = b.values[j * b.k + at * b.block + i];
    const FloatRows<T> left{a.values + at * a.block, a.rows, a.k};
    if (kernels == Kernels::kScalar) float_gemm_scalar(left, panels, products.data());
    else float_gemm(left, panels, products.data());
    for (std::size_t i = 0; i < a.rows; ++i)
      for (std::size_t j = 0; j < b.rows; ++j)
        sums[i * b.rows + j] +=
            products[i * panels.columns() + j] * (a.scales[i * blocks + at] * b.scales[j * blocks + at]);
  }
}

}  // namespace macaw::tosa
