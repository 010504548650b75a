#pragma once
#include <algorithm>
#include <cstddef>

#include "reference/tosa/kernels/gemm/scratch.hpp"

namespace macaw::tosa {

/// Columns that a kernel computes together.
inline constexpr std::size_t kFloatGemmColumns = 16;

/// The right side of a matrix product, float or double: panels of kFloatGemmColumns columns, in a panel row by row.
/// Missing columns are zero.
template <class T>
class FloatPanels {
 public:
  /// K x N of any contents; missing columns are zero.
  FloatPanels(std::size_t k, std::size_t n) : k_(k), n_(n), data_(k * columns()) {
    if (n % kFloatGemmColumns == 0) return;
    for (std::size_t i = 0; i < k; ++i)
      for (std::size_t j = n; j < columns(); ++j) at(i, j) = T{0};
  }

  [[nodiscard]] std::size_t k() const { return k_; }
  [[nodiscard]] std::size_t n() const { return n_; }
  /// n() rounded up to whole panels.
  [[nodiscard]] std::size_t columns() const {
    return (n_ + kFloatGemmColumns - 1) / kFloatGemmColumns * kFloatGemmColumns;
  }
  [[nodiscard]] T& at(std::size_t k, std::size_t n) { return data_[offset(k, n)]; }
  [[nodiscard]] T at(std::size_t k, std::size_t n) const { return data_[offset(k, n)]; }
  [[nodiscard]] const T* panel(std::size_t first_column) const { return data_.data() + first_column * k_; }

  void set_row(std::size_t k, const T* values) {
    for (std::size_t first = 0; first < n_; first += kFloatGemmColumns)
      std::copy_n(values + first, std::min(kFloatGemmColumns, n_ - first), &at(k, first));
  }
  /// Copies a matrix whose columns lie one after the other, `pitch` apart.
  void pack_transposed(const T* from, std::size_t pitch) {
    auto* to = data_.data();
    for (std::size_t first = 0; first < n_; first += kFloatGemmColumns, from += kFloatGemmColumns * pitch) {
      const auto count = std::min(kFloatGemmColumns, n_ - first);
      for (std::size_t k = 0; k < k_; ++k, to += kFloatGemmColumns)
        for (std::size_t n = 0; n < count; ++n) to[n] = from[n * pitch + k];
    }
  }

 private:
  [[nodiscard]] std::size_t offset(std::size_t k, std::size_t n) const {
    return (n / kFloatGemmColumns * k_ + k) * kFloatGemmColumns + n % kFloatGemmColumns;
  }

  std::size_t k_, n_;
  Scratch<T> data_;
};

/// The left side: rows of b.k() elements, `stride` elements apart.
template <class T>
struct FloatRows {
  const T* data = nullptr;
  std::size_t rows = 0;
  std::size_t stride = 0;
};

/// c[m * b.columns() + n] = sum of a[m][k] * b[k][n], added to 0 in the order of k, every product and every sum rounded
/// to T: the same bits on every target. Writes b.columns() columns.
void float_gemm(const FloatRows<float>& a, const FloatPanels<float>& b, float* c);
void float_gemm(const FloatRows<double>& a, const FloatPanels<double>& b, double* c);

/// Plain loops of the same function, for comparison.
void float_gemm_scalar(const FloatRows<float>& a, const FloatPanels<float>& b, float* c);
void float_gemm_scalar(const FloatRows<double>& a, const FloatPanels<double>& b, double* c);

}  // namespace macaw::tosa
