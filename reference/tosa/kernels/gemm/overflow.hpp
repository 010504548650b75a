#pragma once
#include <span>

#include "reference/tosa/kernels/gemm/gemm.hpp"

namespace macaw::tosa {

/// Largest magnitude among the elements.
[[nodiscard]] std::int64_t largest(std::span<const std::int16_t> values);

/// Columns of b for which some sum could leave -limit..limit when the elements of a are at most `magnitude`. For all
/// others no order of adding can, so a kernel's result is that of the specification.
[[nodiscard]] std::vector<std::size_t> risky_columns(const PackedMatrix& b, std::int64_t magnitude, std::int64_t limit);

/// Whether each sum of the products of a row and a column, added in order from k = 0, is in -limit-1..limit.
[[nodiscard]] bool sums_fit(const std::int16_t* row, const PackedMatrix& b, std::size_t column, std::int64_t limit);

}  // namespace macaw::tosa
