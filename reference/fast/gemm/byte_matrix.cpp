#include <algorithm>
#include <cstdlib>
#include <cstring>

#include "reference/fast/best_version.hpp"
#include "reference/fast/gemm/byte_gemm.hpp"

namespace macaw::tosa {

void ByteMatrix::pack(const std::int8_t* from, std::size_t pitch) {
  for (std::size_t p = 0; p < panels(); ++p) {
    const auto first = p * kByteColumns, columns = std::min(kByteColumns, n_ - first);
    auto* to = panel(p);
    for (std::size_t k = 0; k < k_; k += 4, to += 4 * kByteColumns) {
      const auto* row = from + k * pitch + first;
      if (columns == kByteColumns && k + 4 <= k_) {
        for (std::size_t n = 0; n < kByteColumns; ++n) {
          to[4 * n] = row[n];
          to[4 * n + 1] = row[n + pitch];
          to[4 * n + 2] = row[n + 2 * pitch];
          to[4 * n + 3] = row[n + 3 * pitch];
        }
      } else {
        for (std::size_t j = 0; j < std::min<std::size_t>(4, k_ - k); ++j)
          for (std::size_t n = 0; n < columns; ++n) to[4 * n + j] = row[n + j * pitch];
      }
    }
  }
}

void ByteMatrix::pack_transposed(const std::int8_t* from, std::size_t pitch) {
  for (std::size_t n = 0; n < n_; ++n) {
    const auto* column = from + n * pitch;
    auto* to = panel(n / kByteColumns) + n % kByteColumns * 4;
    std::size_t k = 0;
    for (; k + 4 <= k_; k += 4, to += 4 * kByteColumns) std::memcpy(to, column + k, 4);
    for (std::size_t j = 0; k + j < k_; ++j) to[j] = column[k + j];
  }
}

namespace {
// Modulo 2^32, as everything that the sums are used for.
void add_up_panel(const std::int8_t* from, std::size_t quads, std::int32_t* sums) {
  std::uint32_t wrapped[kByteColumns] = {};
  for (std::size_t quad = 0; quad < quads; ++quad, from += 4 * kByteColumns)
    for (std::size_t n = 0; n < kByteColumns; ++n) {
      // Four bytes as a word are vectors of words, which shifts take apart; vectors of bytes are shuffled one by one.
      std::uint32_t word = 0;
      std::memcpy(&word, from + 4 * n, sizeof word);
      for (int shift = 0; shift < 32; shift += 8)
        wrapped[n] += static_cast<std::uint32_t>(static_cast<std::int32_t>(word << shift) >> 24);
    }
  for (std::size_t n = 0; n < kByteColumns; ++n) sums[n] = static_cast<std::int32_t>(wrapped[n]);
}
}  // namespace

std::vector<std::int32_t> ByteMatrix::sums() const {
  std::vector<std::int32_t> sums(panels() * kByteColumns);
  const auto add_up = best_version<add_up_panel>(Kernels::kBest);
  for (std::size_t p = 0; p < panels(); ++p) add_up(panel(p), quads_, &sums[p * kByteColumns]);
  return sums;
}

std::vector<std::int64_t> ByteMatrix::magnitudes(std::int32_t zero_point) const {
  std::vector<std::int64_t> sums(n_);
  for (std::size_t n = 0; n < n_; ++n)
    for (std::size_t k = 0; k < k_; ++k) sums[n] += std::abs(at(k, n) - zero_point);
  return sums;
}

}  // namespace macaw::tosa
