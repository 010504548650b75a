// The sums of a tile are an array of vectors, which types of scalable size do not allow.
#undef HWY_DISABLED_TARGETS
#define HWY_DISABLED_TARGETS (HWY_SVE | HWY_SVE2 | HWY_SVE_256 | HWY_SVE2_128 | HWY_RVV)
// Highway leaves this target out unless asked.
#ifndef HWY_WANT_AVX3_DL
#define HWY_WANT_AVX3_DL
#endif
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "reference/tosa/kernels/gemm/byte_gemm.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include <algorithm>
#include <array>
#include <cstring>

#include "reference/tosa/kernels/gemm/byte_gemm.hpp"
#include "reference/tosa/kernels/gemm/byte_tile.hpp"

#if HWY_TARGET == HWY_AVX3_DL
// Highway 1.0 checks that the processor has VNNI for this target, but does not declare it to the compiler.
HWY_PUSH_ATTRIBUTES(HWY_TARGET_STR ",avx512vnni")
#else
HWY_BEFORE_NAMESPACE();
#endif
namespace macaw::tosa::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

#if HWY_TARGET == HWY_AVX3_DL
// One instruction for the products of four bytes, which Highway 1.0 does not have.
constexpr std::size_t kTileRows = 12;

template <std::size_t kRows, std::size_t kPanels>
HWY_INLINE void multiply(const ByteTile& tile, const std::uint8_t* HWY_RESTRICT a, const std::int32_t* from,
                         std::int32_t* c) {
  const hn::CappedTag<std::int32_t, kByteColumns> d;
  __m512i sums[kRows][kPanels];
  for (std::size_t row = 0; row < kRows; ++row)
    for (std::size_t p = 0; p < kPanels; ++p)
      sums[row][p] = hn::LoadU(d, from + row * tile.from_pitch + p * kByteColumns).raw;
  // One address for three rows, which an instruction's own addition reaches: with one for each there are too few
  // registers.
  constexpr std::size_t kBases = (kRows + 2) / 3;
  const std::uint8_t* bases[kBases];
  for (std::size_t i = 0; i < kBases; ++i) bases[i] = a + 3 * i * tile.stride;
  const auto* HWY_RESTRICT b = tile.panel;
  for (std::size_t quad = 0; quad < tile.quads; ++quad, b += 4 * kByteColumns) {
    __m512i columns[kPanels];
    for (std::size_t p = 0; p < kPanels; ++p) columns[p] = _mm512_loadu_si512(b + p * tile.panel_size);
    for (std::size_t row = 0; row < kRows; ++row) {
      std::int32_t four;
      std::memcpy(&four, bases[row / 3] + row % 3 * tile.stride, sizeof four);
      const auto value = _mm512_set1_epi32(four);
      for (std::size_t p = 0; p < kPanels; ++p) sums[row][p] = _mm512_dpbusd_epi32(sums[row][p], value, columns[p]);
    }
    for (auto& base : bases) base += 4;
  }
  for (std::size_t row = 0; row < kRows; ++row)
    for (std::size_t p = 0; p < kPanels; ++p)
      hn::StoreU(hn::Vec512<std::int32_t>{sums[row][p]}, d, c + row * tile.ldc + p * kByteColumns);
}
#elif HWY_TARGET == HWY_SCALAR
// Vectors of one element hold no pairs.
constexpr std::size_t kTileRows = 1;

template <std::size_t kRows, std::size_t kPanels>
void multiply(const ByteTile& tile, const std::uint8_t* a, const std::int32_t* from, std::int32_t* c) {
  for (std::size_t row = 0; row < kRows; ++row)
    for (std::size_t n = 0; n < kPanels * kByteColumns; ++n) {
      const auto* b = tile.panel + n / kByteColumns * tile.panel_size + n % kByteColumns * 4;
      auto sum = static_cast<std::uint32_t>(from[row * tile.from_pitch + n]);
      for (std::size_t k = 0; k < 4 * tile.quads; ++k)
        sum += static_cast<std::uint32_t>(a[row * tile.stride + k] * b[k / 4 * 4 * kByteColumns + k % 4]);
      c[row * tile.ldc + n] = static_cast<std::int32_t>(sum);
    }
}
#else
constexpr std::size_t kLanes = std::min<std::size_t>(HWY_LANES(std::int16_t), 4 * kByteColumns);
using D16 = hn::CappedTag<std::int16_t, kLanes>;
using D32 = hn::CappedTag<std::int32_t, kLanes / 2>;
constexpr std::size_t kVectors = 4 * kByteColumns / kLanes;
// The number of rows whose sums fit in registers.
constexpr std::size_t kTileRows = kVectors <= 2 ? 6 : kVectors <= 4 ? 3 : 1;

// Bytes are widened to 16 bits; a column's sums of the first and the second two of its quads stay apart until the end.
template <std::size_t kRows>
HWY_INLINE void multiply_panel(const ByteTile& tile, const std::int8_t* HWY_RESTRICT b,
                               const std::uint8_t* HWY_RESTRICT a, const std::int32_t* from, std::int32_t* c) {
  const D16 d16;
  const D32 d32;
  const hn::RebindToUnsigned<D16> du16;
  const hn::Rebind<std::int8_t, D16> d8;
  const hn::Rebind<std::uint8_t, D16> du8;
  const hn::Repartition<std::uint32_t, decltype(du8)> four_bytes;
  // Some targets keep the sums of a vector's lower and upper half apart as well.
  hn::Vec<D32> sums[kRows][kVectors], others[kRows][kVectors];
  for (std::size_t row = 0; row < kRows; ++row)
    for (std::size_t v = 0; v < kVectors; ++v) sums[row][v] = others[row][v] = hn::Zero(d32);
  for (std::size_t quad = 0; quad < tile.quads; ++quad, a += 4, b += 4 * kByteColumns) {
    hn::Vec<D16> columns[kVectors];
    for (std::size_t v = 0; v < kVectors; ++v) columns[v] = hn::PromoteTo(d16, hn::LoadU(d8, b + v * kLanes));
    for (std::size_t row = 0; row < kRows; ++row) {
      std::uint32_t four;
      std::memcpy(&four, a + row * tile.stride, sizeof four);
      const auto value = hn::BitCast(d16, hn::PromoteTo(du16, hn::BitCast(du8, hn::Set(four_bytes, four))));
      for (std::size_t v = 0; v < kVectors; ++v)
        sums[row][v] = hn::ReorderWidenMulAccumulate(d32, value, columns[v], sums[row][v], others[row][v]);
    }
  }
  for (std::size_t row = 0; row < kRows; ++row) {
    std::int32_t halves[2 * kByteColumns];
    for (std::size_t v = 0; v < kVectors; ++v)
      hn::StoreU(hn::RearrangeToOddPlusEven(sums[row][v], others[row][v]), d32, halves + v * kLanes / 2);
    for (std::size_t n = 0; n < kByteColumns; ++n)
      c[row * tile.ldc + n] = static_cast<std::int32_t>(static_cast<std::uint32_t>(from[row * tile.from_pitch + n]) +
                                                        static_cast<std::uint32_t>(halves[2 * n]) +
                                                        static_cast<std::uint32_t>(halves[2 * n + 1]));
  }
}

template <std::size_t kRows, std::size_t kPanels>
HWY_INLINE void multiply(const ByteTile& tile, const std::uint8_t* a, const std::int32_t* from, std::int32_t* c) {
  for (std::size_t p = 0; p < kPanels; ++p)
    multiply_panel<kRows>(tile, tile.panel + p * tile.panel_size, a, from + p * kByteColumns, c + p * kByteColumns);
}
#endif

template <std::size_t kPanels>
HWY_INLINE void multiply_rows(const ByteTile& tile) {
  const auto* a = tile.a;
  const auto* from = tile.from;
  auto* c = tile.c;
  auto rows = tile.rows;
  const auto advance = [&](std::size_t done) HWY_ATTR {
    rows -= done;
    a += done * tile.stride;
    from += done * tile.from_pitch;
    c += done * tile.ldc;
  };
#if HWY_TARGET == HWY_AVX3_DL
  advance(multiply_in_matrix_registers(tile));
#endif
  while (rows >= kTileRows) {
    multiply<kTileRows, kPanels>(tile, a, from, c);
    advance(kTileRows);
  }
  if constexpr (kTileRows > 4) {
    while (rows >= 4) {
      multiply<4, kPanels>(tile, a, from, c);
      advance(4);
    }
  }
  while (rows > 0) {
    multiply<1, kPanels>(tile, a, from, c);
    advance(1);
  }
}

void byte_tile(const ByteTile& tile) {
  if (tile.panels == 2) multiply_rows<2>(tile);
  else multiply_rows<1>(tile);
}

// Initial values of the sums of whole panels; `of_rows` may be null.
void fill_sums(const std::int32_t* HWY_RESTRICT of_columns, std::size_t width, const std::int32_t* HWY_RESTRICT of_rows,
               std::size_t rows, std::int32_t* HWY_RESTRICT to) {
  const hn::CappedTag<std::int32_t, kByteColumns> d;
  for (std::size_t row = 0; row < rows; ++row, to += width) {
    const auto of_row = hn::Set(d, of_rows ? of_rows[row] : 0);
    for (std::size_t n = 0; n < width; n += hn::Lanes(d))
      hn::StoreU(hn::Add(hn::LoadU(d, of_columns + n), of_row), d, to + n);
  }
}

}  // namespace macaw::tosa::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace macaw::tosa {
namespace {

HWY_EXPORT(byte_tile);
HWY_EXPORT(fill_sums);

// Number of quads for which two panels stay in the first-level cache while rows are read.
constexpr std::size_t kBlockQuads = 256;

std::int32_t wrapping_sum(std::int32_t a, std::int32_t b) {
  return static_cast<std::int32_t>(static_cast<std::uint32_t>(a) + static_cast<std::uint32_t>(b));
}

}  // namespace

void byte_gemm(const ByteRows& a, const ByteMatrix& b, const ByteTerms& terms, std::int32_t* c, std::size_t ldc) {
  const auto kernel = HWY_DYNAMIC_DISPATCH(byte_tile);
  const auto fill = HWY_DYNAMIC_DISPATCH(fill_sums);
  std::array<std::int32_t, kByteRows * 2 * kByteColumns> sums;
  for (std::size_t panel = 0; panel < b.panels(); panel += 2) {
    const auto panels = std::min<std::size_t>(2, b.panels() - panel);
    const auto first = panel * kByteColumns, width = panels * kByteColumns, columns = std::min(width, b.n() - first);
    const auto* of_columns = terms.columns.data() + first;
    for (std::size_t row = 0; row < a.rows; row += kByteRows) {
      const auto rows = std::min(kByteRows, a.rows - row);
      auto* out = c + row * ldc + first;
      // Panels with missing columns are wider than the output.
      const bool at_once = columns == width && b.quads() != 0;
      auto* to = at_once ? out : sums.data();
      const auto pitch = at_once ? ldc : width;
      const auto* from = of_columns;
      std::size_t from_pitch = 0;
      if (!terms.rows.empty() || b.quads() == 0) {
        fill(of_columns, width, terms.rows.empty() ? nullptr : terms.rows.data() + row, rows, sums.data());
        from = sums.data();
        from_pitch = width;
      }
      for (std::size_t quad = 0; quad < b.quads(); quad += kBlockQuads) {
        kernel({a.data + row * a.stride + 4 * quad, a.stride, rows, b.panel(panel) + quad * 4 * kByteColumns,
                b.panel_size(), panels, std::min(kBlockQuads, b.quads() - quad), from, from_pitch, to, pitch});
        from = to;
        from_pitch = pitch;
      }
      if (to != out)
        for (std::size_t i = 0; i < rows; ++i) std::copy_n(to + i * pitch, columns, out + i * ldc);
    }
  }
}

void byte_gemm_scalar(const ByteRows& a, const ByteMatrix& b, const ByteTerms& terms, std::int32_t* c,
                      std::size_t ldc) {
  for (std::size_t m = 0; m < a.rows; ++m)
    for (std::size_t n = 0; n < b.n(); ++n) {
      auto sum = terms.columns[n];
      if (!terms.rows.empty()) sum = wrapping_sum(sum, terms.rows[m]);
      for (std::size_t k = 0; k < b.k(); ++k) sum = wrapping_sum(sum, a.data[m * a.stride + k] * b.at(k, n));
      c[m * ldc + n] = sum;
    }
}

}  // namespace macaw::tosa
#endif  // HWY_ONCE
