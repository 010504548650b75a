// The sums of a tile are an array of vectors, which types of scalable size cannot form.
#undef HWY_DISABLED_TARGETS
#define HWY_DISABLED_TARGETS (HWY_SVE | HWY_SVE2 | HWY_SVE_256 | HWY_SVE2_128 | HWY_RVV)
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "reference/tosa/kernels/gemm/gemm.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include <algorithm>
#include <array>
#include <cstring>

#include "reference/tosa/kernels/gemm/gemm.hpp"

HWY_BEFORE_NAMESPACE();
namespace macaw::tosa::HWY_NAMESPACE {
#if HWY_TARGET == HWY_SCALAR
// Vectors of one element hold no pairs.
constexpr std::size_t kTileRows = 3;

template <std::size_t kRows>
void tile_rows(const std::int16_t* HWY_RESTRICT a, std::size_t stride, const std::int16_t* HWY_RESTRICT b,
               std::size_t pairs, std::int32_t* HWY_RESTRICT tile) {
  std::uint32_t sums[kRows][kGemmColumns] = {};
  for (std::size_t pair = 0; pair < pairs; ++pair, b += 2 * kGemmColumns)
    for (std::size_t row = 0; row < kRows; ++row) {
      const auto* value = a + row * stride + 2 * pair;
      for (std::size_t n = 0; n < kGemmColumns; ++n) {
        sums[row][n] += static_cast<std::uint32_t>(value[0] * b[2 * n]);
        sums[row][n] += static_cast<std::uint32_t>(value[1] * b[2 * n + 1]);
      }
    }
  std::memcpy(tile, sums, sizeof sums);
}
#else
namespace hn = hwy::HWY_NAMESPACE;

constexpr std::size_t kLanes = std::min<std::size_t>(HWY_LANES(std::int16_t), 2 * kGemmColumns);
using D16 = hn::CappedTag<std::int16_t, kLanes>;
using D32 = hn::CappedTag<std::int32_t, kLanes / 2>;
constexpr std::size_t kVectors = 2 * kGemmColumns / kLanes;
// As many rows as the registers hold sums for.
constexpr std::size_t kTileRows = kVectors == 1 ? 12 : kVectors == 2 ? 6 : 3;

template <std::size_t kRows>
HWY_INLINE void tile_rows(const std::int16_t* HWY_RESTRICT a, std::size_t stride, const std::int16_t* HWY_RESTRICT b,
                          std::size_t pairs, std::int32_t* HWY_RESTRICT tile) {
  const D16 d16;
  const D32 d32;
  // Some targets keep the sums of a vector's lower and upper half apart until the end.
  hn::Vec<D32> sums[kRows][kVectors], others[kRows][kVectors];
  for (std::size_t row = 0; row < kRows; ++row)
    for (std::size_t v = 0; v < kVectors; ++v) sums[row][v] = others[row][v] = hn::Zero(d32);
  for (std::size_t pair = 0; pair < pairs; ++pair, b += 2 * kGemmColumns) {
    hn::Vec<D16> columns[kVectors];
    for (std::size_t v = 0; v < kVectors; ++v) columns[v] = hn::LoadU(d16, b + v * kLanes);
    for (std::size_t row = 0; row < kRows; ++row) {
      std::int32_t both;
      std::memcpy(&both, a + row * stride + 2 * pair, sizeof both);
      const auto value = hn::BitCast(d16, hn::Set(d32, both));
      for (std::size_t v = 0; v < kVectors; ++v)
        sums[row][v] = hn::ReorderWidenMulAccumulate(d32, value, columns[v], sums[row][v], others[row][v]);
    }
  }
  for (std::size_t row = 0; row < kRows; ++row)
    for (std::size_t v = 0; v < kVectors; ++v)
      hn::StoreU(hn::RearrangeToOddPlusEven(sums[row][v], others[row][v]), d32,
                 tile + row * kGemmColumns + v * kLanes / 2);
}

#endif

// Sums of `rows` rows of a by the 16 columns of a panel over `pairs` pairs; returns the rows done.
std::size_t tile(const std::int16_t* a, std::size_t stride, std::size_t rows, const std::int16_t* b, std::size_t pairs,
                 std::int32_t* out) {
  if (rows >= kTileRows) {
    tile_rows<kTileRows>(a, stride, b, pairs, out);
    return kTileRows;
  }
  if (rows >= 3) {
    tile_rows<3>(a, stride, b, pairs, out);
    return 3;
  }
  tile_rows<1>(a, stride, b, pairs, out);
  return 1;
}

}  // namespace macaw::tosa::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace macaw::tosa {
namespace {

HWY_EXPORT(tile);

constexpr std::size_t kMaxTileRows = 12;
// As many products of 2^23 as 32 bits can sum.
constexpr std::size_t kExactPairs = 128;

}  // namespace

void gemm(const Rows& a, const PackedMatrix& b, std::int64_t* c, std::size_t ldc) {
  std::array<std::int32_t, kMaxTileRows * kGemmColumns> sums;
  const auto kernel = HWY_DYNAMIC_DISPATCH(tile);
  for (std::size_t row = 0; row < a.rows; ++row) std::fill_n(c + row * ldc, b.n(), 0);
  for (std::size_t first = 0; first < b.n(); first += kGemmColumns) {
    const auto columns = std::min(kGemmColumns, b.n() - first);
    for (std::size_t pair = 0; pair < b.pairs(); pair += kExactPairs) {
      const auto pairs = std::min(kExactPairs, b.pairs() - pair);
      const auto* panel = b.panel(first) + pair * 2 * kGemmColumns;
      for (std::size_t row = 0; row < a.rows;) {
        const auto done = kernel(a.data + row * a.stride + 2 * pair, a.stride, a.rows - row, panel, pairs, sums.data());
        for (std::size_t i = 0; i < done; ++i) {
          auto* out = c + (row + i) * ldc + first;
          const auto* in = sums.data() + i * kGemmColumns;
          for (std::size_t n = 0; n < columns; ++n) out[n] += in[n];
        }
        row += done;
      }
    }
  }
}

void gemm_scalar(const Rows& a, const PackedMatrix& b, std::int64_t* c, std::size_t ldc) {
  for (std::size_t m = 0; m < a.rows; ++m)
    for (std::size_t n = 0; n < b.n(); ++n) {
      std::int64_t sum = 0;
      for (std::size_t k = 0; k < b.k(); ++k) sum += std::int64_t{a.data[m * a.stride + k]} * b.at(k, n);
      c[m * ldc + n] = sum;
    }
}

}  // namespace macaw::tosa
#endif  // HWY_ONCE
