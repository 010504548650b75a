#include "reference/tflite/byte_sums.hpp"

#include <algorithm>

namespace macaw::tflite {

ByteSums::ByteSums(const std::int8_t* filter, std::size_t channels, std::size_t depth, std::int32_t input_zero)
    : matrix_(depth, channels),
      zero_(input_zero + 128),
      columns_(pitch()),
      rows_(kRows * 4 * matrix_.quads()),
      sums_(kRows * pitch()) {
  matrix_.pack_transposed(filter, depth);
  const auto weights = matrix_.sums();
  for (std::size_t i = 0; i < channels; ++i) columns_[i] = static_cast<std::int32_t>(-std::int64_t{zero_} * weights[i]);
}

void ByteSums::put(std::size_t at_row, std::size_t at, const std::int8_t* values, std::size_t count) {
  std::transform(values, values + count, row(at_row) + at,
                 [](std::int8_t value) { return static_cast<std::uint8_t>(static_cast<std::uint8_t>(value) ^ 0x80U); });
}

void ByteSums::put_zeros(std::size_t at_row, std::size_t at, std::size_t count) {
  std::fill_n(row(at_row) + at, count, static_cast<std::uint8_t>(zero_));
}

const std::int32_t* ByteSums::sums(std::size_t rows) {
  tosa::byte_gemm({rows_.data(), rows, 4 * matrix_.quads()}, matrix_, {columns_, {}}, sums_.data(), pitch());
  return sums_.data();
}

}  // namespace macaw::tflite
