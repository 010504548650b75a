#pragma once
#include <array>
#include <cstring>
#include <functional>
#include <span>

#include "reference/tosa/kernels/fusion.hpp"
#include "reference/tosa/kernels/gemm/byte_gemm.hpp"
#include "reference/tosa/op/def.hpp"

namespace macaw::tosa {

/// out[m][n] = bias[n] + sum over k of (a[m][k] - a_zero_point) * (b[k][n] - b_zero_point) of int8 operands, which are
/// passed in parts, so that neither is in memory twice.
struct ByteProduct {
  std::size_t rows = 0, k = 0, n = 0;
  std::int32_t a_zero_point = 0, b_zero_point = 0;
  /// Writes a[m][k] + 128 of `count` rows from `first` on, `stride` apart. Called by several threads.
  std::function<void(std::size_t first, std::size_t count, std::uint8_t* to, std::size_t stride)> load;
  /// Writes the columns from `first` on, as many as the matrix has. Called by several threads.
  std::function<void(std::size_t first, ByteMatrix& to)> pack;
  std::span<const std::int32_t> bias;  ///< none, one, or one for each column
  std::int32_t* out = nullptr;
  Fusion* after = nullptr;  ///< takes the rows instead of `out`
  /// Where a row begins in `out`; empty: row after row.
  std::function<std::int64_t(std::size_t row)> place;
};

/// Elements as `load` writes them, 128 higher.
inline void raise_bytes(const std::int8_t* from, std::size_t count, std::uint8_t* to) {
  const auto raise = [=]<std::size_t kSize>(std::size_t at, std::array<std::uint64_t, kSize> words) {
    std::memcpy(words.data(), from + at, sizeof words);
    for (auto& word : words) word ^= 0x8080808080808080;
    std::memcpy(to + at, words.data(), sizeof words);
  };
  // The last step reaches back over elements that the one before it wrote.
  if (count >= 32) {
    for (std::size_t i = 0; i + 32 < count; i += 32) raise(i, std::array<std::uint64_t, 4>());
    raise(count - 32, std::array<std::uint64_t, 4>());
  } else if (count >= 8) {
    for (std::size_t i = 0; i + 8 < count; i += 8) raise(i, std::array<std::uint64_t, 1>());
    raise(count - 8, std::array<std::uint64_t, 1>());
  } else {
    for (std::size_t i = 0; i < count; ++i)
      to[i] = static_cast<std::uint8_t>(static_cast<std::uint8_t>(from[i]) ^ 0x80);
  }
}

/// Sums are modulo 2^32; returns whether they all fit, on the way and with the bias.
[[nodiscard]] bool multiply(const Call& call, const ByteProduct& product);

}  // namespace macaw::tosa
