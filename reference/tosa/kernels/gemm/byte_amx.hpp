#pragma once
#include <cstddef>

#include "reference/tosa/kernels/gemm/byte_tile.hpp"

namespace macaw::tosa {

/// Rows that the matrix registers (AMX) take at a time.
inline constexpr std::size_t kAmxRows = 16;

/// Quads of k that a product is best rounded up to: whole registers, where there are any and little is added.
[[nodiscard]] std::size_t rounded_quads(std::size_t quads);

/// Does the first rows of a tile in matrix registers and returns how many, a multiple of kAmxRows: none where the
/// processor or the system has no such registers, and where there is too little to do for them.
[[nodiscard]] std::size_t multiply_in_matrix_registers(const ByteTile& tile);

}  // namespace macaw::tosa
