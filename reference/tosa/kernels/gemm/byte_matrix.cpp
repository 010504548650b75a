#include <algorithm>
#include <cstdlib>
#include <cstring>

#include "reference/tosa/kernels/best_version.hpp"
#include "reference/tosa/kernels/gemm/byte_gemm.hpp"
#include "reference/tosa/kernels/move/interleave_vectors.hpp"

namespace macaw::tosa {

namespace {

// Four quads of a panel: 16 bytes for each column.
constexpr std::size_t kVectorQuads = 4;

/// The first `quads` quads of a panel, a multiple of kVectorQuads, whose columns lie one after the other.
void pack_columns(const std::int8_t* from, std::size_t pitch, std::size_t quads, std::int8_t* to) {
  for (std::size_t quad = 0; quad < quads; quad += kVectorQuads)
    for (std::size_t n = 0; n < kByteColumns; n += kVectorQuads) {
      Vector16<std::uint32_t> words[kVectorQuads];
      for (std::size_t i = 0; i < kVectorQuads; ++i) std::memcpy(&words[i], from + (n + i) * pitch + 4 * quad, 16);
      interleave_vectors<std::uint32_t>(words);
      for (std::size_t i = 0; i < kVectorQuads; ++i)
        std::memcpy(to + ((quad + i) * kByteColumns + n) * 4, &words[i], 16);
    }
}

/// The first `quads` quads of a panel of a row-major matrix.
void pack_rows(const std::int8_t* from, std::size_t pitch, std::size_t quads, std::int8_t* to) {
  for (std::size_t quad = 0; quad < quads; ++quad, from += 4 * pitch, to += 4 * kByteColumns)
    for (std::size_t n = 0; n < kByteColumns; ++n)
      for (std::size_t i = 0; i < 4; ++i) to[4 * n + i] = from[i * pitch + n];
}

}  // namespace

void ByteMatrix::pack(const std::int8_t* from, std::size_t pitch) {
  const auto pack_vectors = best_version<pack_rows>(Kernels::kBest);
  for (std::size_t p = 0; p < panels(); ++p) {
    const auto first = p * kByteColumns, columns = std::min(kByteColumns, n_ - first);
    const auto packed = columns == kByteColumns ? k_ / 4 : 0;
    pack_vectors(from + first, pitch, packed, panel(p));
    for (std::size_t k = 4 * packed; k < k_; ++k)
      for (std::size_t n = first; n < first + columns; ++n) at(k, n) = from[k * pitch + n];
  }
}

void ByteMatrix::pack_transposed(const std::int8_t* from, std::size_t pitch) {
  const auto pack_vectors = best_version<pack_columns>(Kernels::kBest);
  for (std::size_t p = 0; p < panels(); ++p) {
    const auto first = p * kByteColumns, columns = std::min(kByteColumns, n_ - first);
    const auto packed = columns == kByteColumns ? k_ / (4 * kVectorQuads) * kVectorQuads : 0;
    pack_vectors(from + first * pitch, pitch, packed, panel(p));
    for (std::size_t n = first; n < first + columns; ++n)
      for (std::size_t k = 4 * packed; k < k_; ++k) at(k, n) = from[n * pitch + k];
  }
}

std::vector<std::int32_t> ByteMatrix::sums() const {
  std::vector<std::int32_t> sums(panels() * kByteColumns);
  const std::vector<std::uint8_t> ones(4 * quads_, 1);
  byte_gemm({ones.data(), 1, ones.size()}, *this, {std::vector<std::int32_t>(sums.size()), {}}, sums.data(), n_);
  return sums;
}

std::vector<std::int64_t> ByteMatrix::magnitudes(std::int32_t zero_point) const {
  std::vector<std::int64_t> sums(n_);
  for (std::size_t n = 0; n < n_; ++n)
    for (std::size_t k = 0; k < k_; ++k) sums[n] += std::abs(at(k, n) - zero_point);
  return sums;
}

}  // namespace macaw::tosa
