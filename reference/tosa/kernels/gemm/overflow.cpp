#include "reference/tosa/kernels/gemm/overflow.hpp"

#include <algorithm>
#include <cstdlib>

namespace macaw::tosa {

std::int64_t largest(std::span<const std::int16_t> values) {
  std::int16_t low = 0, high = 0;
  for (const auto value : values) {
    low = std::min(low, value);
    high = std::max(high, value);
  }
  return std::max<std::int64_t>(-std::int64_t{low}, high);
}

std::vector<std::size_t> risky_columns(const PackedMatrix& b, std::int64_t magnitude, std::int64_t limit) {
  std::vector<std::size_t> risky;
  if (magnitude == 0) return risky;
  std::int64_t sums[kGemmColumns];
  for (std::size_t first = 0; first < b.n(); first += kGemmColumns) {
    std::fill_n(sums, kGemmColumns, 0);
    const auto* panel = b.panel(first);
    for (std::size_t pair = 0; pair < b.pairs(); ++pair, panel += 2 * kGemmColumns)
      for (std::size_t n = 0; n < kGemmColumns; ++n) sums[n] += std::abs(panel[2 * n]) + std::abs(panel[2 * n + 1]);
    for (std::size_t n = 0; n < kGemmColumns; ++n)
      if (sums[n] > limit / magnitude) risky.push_back(first + n);
  }
  return risky;
}

bool sums_fit(const std::int16_t* row, const PackedMatrix& b, std::size_t column, std::int64_t limit) {
  std::int64_t sum = 0;
  for (std::size_t k = 0; k < b.k(); ++k) {
    sum += std::int64_t{row[k]} * b.at(k, column);
    if (sum > limit || sum < -limit - 1) return false;
  }
  return true;
}

}  // namespace macaw::tosa
