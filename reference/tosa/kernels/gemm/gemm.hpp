#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "reference/tosa/kernels/gemm/scratch.hpp"

namespace macaw::tosa {

/// Columns that a kernel computes together.
inline constexpr std::size_t kGemmColumns = 16;

/// The right side of a matrix product, laid out for the kernels: panels of kGemmColumns columns, in a panel pairs of k,
/// in a pair column by column. Missing columns and an odd last k are zero.
class PackedMatrix {
 public:
  /// Zeros of K x N.
  PackedMatrix(std::size_t k, std::size_t n)
      : k_(k), n_(n), pairs_((k + 1) / 2), data_((n + kGemmColumns - 1) / kGemmColumns * pairs_ * 2 * kGemmColumns) {
    std::ranges::fill(data_.span(), std::int16_t{0});
  }

  [[nodiscard]] std::size_t k() const { return k_; }
  [[nodiscard]] std::size_t n() const { return n_; }
  [[nodiscard]] std::size_t pairs() const { return pairs_; }
  [[nodiscard]] std::int16_t& at(std::size_t k, std::size_t n) { return data_[offset(k, n)]; }
  [[nodiscard]] std::int16_t at(std::size_t k, std::size_t n) const { return data_[offset(k, n)]; }
  [[nodiscard]] const std::int16_t* panel(std::size_t first_column) const {
    return data_.data() + first_column * pairs_ * 2;
  }

 private:
  [[nodiscard]] std::size_t offset(std::size_t k, std::size_t n) const {
    return (n / kGemmColumns * pairs_ + k / 2) * 2 * kGemmColumns + n % kGemmColumns * 2 + k % 2;
  }

  std::size_t k_, n_, pairs_;
  Scratch<std::int16_t> data_;
};

/// The left side: `rows` rows of 2 * b.pairs() elements, `stride` elements apart. With an odd k the element after the
/// last one is read and multiplied by zero.
struct Rows {
  const std::int16_t* data = nullptr;
  std::size_t rows = 0;
  std::size_t stride = 0;
};

/// c[m * ldc + n] = sum over k of a[m][k] * b[k][n], exact. |a| * |b| must be below 2^23 (int16 by zero-point-corrected
/// int8).
void gemm(const Rows& a, const PackedMatrix& b, std::int64_t* c, std::size_t ldc);

/// Plain loops of the same function, for comparison.
void gemm_scalar(const Rows& a, const PackedMatrix& b, std::int64_t* c, std::size_t ldc);

}  // namespace macaw::tosa
