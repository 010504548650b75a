#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "reference/tosa/kernels/gemm/byte_amx.hpp"
#include "reference/tosa/kernels/gemm/scratch.hpp"

namespace macaw::tosa {

/// Columns of a panel.
inline constexpr std::size_t kByteColumns = 16;
/// Rows that the kernels do best at a time: their sums stay in the first-level cache.
inline constexpr std::size_t kByteRows = 96;

/// The right side of a product of bytes, laid out for the kernels: panels of kByteColumns columns, in a panel quads of
/// k, in a quad column by column. Missing columns and k beyond k() are zero.
class ByteMatrix {
 public:
  /// K x N with undefined contents; the padding is zero.
  ByteMatrix(std::size_t k, std::size_t n)
      : k_(k), n_(n), quads_(rounded_quads((k + 3) / 4)), data_(panels() * quads_ * 4 * kByteColumns) {
    if (k_ != 4 * quads_ || n_ % kByteColumns != 0) std::fill_n(data_.data(), data_.size(), std::int8_t{0});
  }

  [[nodiscard]] std::size_t k() const { return k_; }
  [[nodiscard]] std::size_t n() const { return n_; }
  [[nodiscard]] std::size_t quads() const { return quads_; }
  [[nodiscard]] std::size_t panels() const { return (n_ + kByteColumns - 1) / kByteColumns; }
  [[nodiscard]] std::int8_t& at(std::size_t k, std::size_t n) { return data_[offset(k, n)]; }
  [[nodiscard]] std::int8_t at(std::size_t k, std::size_t n) const { return data_[offset(k, n)]; }
  [[nodiscard]] std::int8_t* panel(std::size_t i) { return data_.data() + i * panel_size(); }
  [[nodiscard]] const std::int8_t* panel(std::size_t i) const { return data_.data() + i * panel_size(); }
  [[nodiscard]] std::size_t panel_size() const { return quads_ * 4 * kByteColumns; }

  /// Copies columns [first, first + n()) of a row-major matrix whose rows are `pitch` apart.
  void pack(const std::int8_t* from, std::size_t pitch);
  /// The same of a matrix whose columns lie one after the other, `pitch` apart.
  void pack_transposed(const std::int8_t* from, std::size_t pitch);

  /// sum over k of b[k][n] for every column, and of |b[k][n] - zero_point|.
  [[nodiscard]] std::vector<std::int32_t> sums() const;
  [[nodiscard]] std::vector<std::int64_t> magnitudes(std::int32_t zero_point) const;

 private:
  [[nodiscard]] std::size_t offset(std::size_t k, std::size_t n) const {
    return (n / kByteColumns * quads_ + k / 4) * 4 * kByteColumns + n % kByteColumns * 4 + k % 4;
  }

  std::size_t k_, n_, quads_;
  Scratch<std::int8_t> data_;
};

/// The left side: rows `stride` apart of 4 * b.quads() elements; those beyond b.k() are multiplied by zero.
struct ByteRows {
  const std::uint8_t* data = nullptr;
  std::size_t rows = 0;
  std::size_t stride = 0;
};

/// Offsets that are added to the products. Columns count up to whole panels.
struct ByteTerms {
  std::span<const std::int32_t> columns;  ///< one for each column
  std::span<const std::int32_t> rows;     ///< one for each row, or none
};

/// c[m * ldc + n] = columns[n] + rows[m] + sum over k of a[m][k] * b[k][n], modulo 2^32.
void byte_gemm(const ByteRows& a, const ByteMatrix& b, const ByteTerms& terms, std::int32_t* c, std::size_t ldc);
/// Plain loops of the same function, for comparison.
void byte_gemm_scalar(const ByteRows& a, const ByteMatrix& b, const ByteTerms& terms, std::int32_t* c, std::size_t ldc);

}  // namespace macaw::tosa
