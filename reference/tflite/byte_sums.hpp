#pragma once
#include <cstdint>
#include <vector>

#include "reference/fast/gemm/byte_gemm.hpp"

namespace macaw::tflite {

/// Sums of products of int8 rows, less a zero point, with the rows of an int8 filter, by the fast kernels: modulo 2^32,
/// as sums one by one are.
class ByteSums {
 public:
  /// `filter` has `channels` rows of `depth`.
  ByteSums(const std::int8_t* filter, std::size_t channels, std::size_t depth, std::int32_t input_zero);

  /// Rows that are computed together.
  static constexpr std::size_t kRows = tosa::kByteRows;

  /// Copies `count` values into row `row` from `at` on, or fills them with the zero point.
  void put(std::size_t row, std::size_t at, const std::int8_t* values, std::size_t count);
  void put_zeros(std::size_t row, std::size_t at, std::size_t count);

  /// The sums of the first rows: for each row as many as channels(), `pitch()` apart.
  [[nodiscard]] const std::int32_t* sums(std::size_t rows);
  [[nodiscard]] std::size_t pitch() const { return matrix_.panels() * tosa::kByteColumns; }

 private:
  std::uint8_t* row(std::size_t i) { return rows_.data() + i * 4 * matrix_.quads(); }

  tosa::ByteMatrix matrix_;
  std::int32_t zero_;                  // as the stored bytes have it, which are 128 more
  std::vector<std::int32_t> columns_;  // what the zero point adds to every sum
  std::vector<std::uint8_t> rows_;
  std::vector<std::int32_t> sums_;
};

}  // namespace macaw::tflite
