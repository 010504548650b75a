#pragma once
#include <algorithm>
#include <cstddef>

// Sizes of the parts in which products of matrices are computed, so that they stay in the second-level cache together.

namespace macaw::tosa {

/// Least number of multiply-accumulates for a thread.
inline constexpr std::size_t kLeastWork = std::size_t{1} << 18;

/// Rows of the left side, of so many bytes with their sums: as many as fit, in whole tiles of every kernel.
[[nodiscard]] inline std::size_t rows_in_block(std::size_t row_bytes) {
  constexpr std::size_t kBytes = std::size_t{1} << 17, kTileRows = 12;
  return std::max(kBytes / std::max<std::size_t>(row_bytes, 1) / kTileRows * kTileRows, kTileRows);
}

/// Columns of the right side, of so many bytes when packed: as many as fit, in whole pairs of panels.
[[nodiscard]] inline std::size_t columns_in_block(std::size_t column_bytes) {
  constexpr std::size_t kBytes = std::size_t{1} << 20, kColumns = 32;
  const auto fitting = std::max<std::size_t>(kBytes / std::max<std::size_t>(column_bytes, 1), 1);
  return (fitting + kColumns - 1) / kColumns * kColumns;
}

}  // namespace macaw::tosa
