// The sums of a tile are an array of vectors, which types of scalable size cannot form.
#undef HWY_DISABLED_TARGETS
#define HWY_DISABLED_TARGETS (HWY_SVE | HWY_SVE2 | HWY_SVE_256 | HWY_SVE2_128 | HWY_RVV)
// Highway leaves this target out unless asked.
#ifndef HWY_WANT_AVX3_DL
#define HWY_WANT_AVX3_DL
#endif
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "reference/op/gemm/byte_gemm.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include <algorithm>
#include <array>
#include <cstring>

#include "reference/op/gemm/byte_gemm.hpp"
#include "reference/op/gemm/byte_tile.hpp"

#if HWY_TARGET == HWY_AVX3_DL
// Highway 1.0 checks that the processor has VNNI for this target, but does not tell the compiler.
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
HWY_INLINE void multiply(const ByteTile& tile, const std::uint8_t* HWY_RESTRICT a, std::int32_t* HWY_RESTRICT c) {
  const hn::CappedTag<std::int32_t, kByteColumns> d;
  __m512i sums[kRows][kPanels];
  for (std::size_t row = 0; row < kRows; ++row)
    for (std::size_t p = 0; p < kPanels; ++p) sums[row][p] = hn::LoadU(d, c + row * tile.ldc + p * kByteColumns).raw;
  const auto* HWY_RESTRICT b = tile.panel;
  for (std::size_t quad = 0; quad < tile.quads; ++quad, a += 4, b += 4 * kByteColumns) {
    __m512i columns[kPanels];
    for (std::size_t p = 0; p < kPanels; ++p) columns[p] = _mm512_loadu_si512(b + p * tile.panel_size);
    for (std::size_t row = 0; row < kRows; ++row) {
      std::int32_t four;
      std::memcpy(&four, a + row * tile.stride, sizeof four);
      const auto value = _mm512_set1_epi32(four);
      for (std::size_t p = 0; p < kPanels; ++p) sums[row][p] = _mm512_dpbusd_epi32(sums[row][p], value, columns[p]);
    }
  }
  for (std::size_t row = 0; row < kRows; ++row)
    for (std::size_t p = 0; p < kPanels; ++p)
      hn::StoreU(hn::Vec512<std::int32_t>{sums[row][p]}, d, c + row * tile.ldc + p * kByteColumns);
}
#elif HWY_TARGET == HWY_SCALAR
// Vectors of one element hold no pairs.
constexpr std::size_t kTileRows = 1;

template <std::size_t kRows, std::size_t kPanels>
void multiply(const ByteTile& tile, const std::uint8_t* a, std::int32_t* c) {
  for (std::size_t row = 0; row < kRows; ++row)
    for (std::size_t n = 0; n < kPanels * kByteColumns; ++n) {
      const auto* b = tile.panel + n / kByteColumns * tile.panel_size + n % kByteColumns * 4;
      auto sum = static_cast<std::uint32_t>(c[row * tile.ldc + n]);
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
// As many rows as the registers hold sums for.
constexpr std::size_t kTileRows = kVectors <= 2 ? 6 : kVectors <= 4 ? 3 : 1;

// Bytes are widened to 16 bits; a column's sums of the first and the second two of its quads stay apart until the end.
template <std::size_t kRows>
HWY_INLINE void multiply_panel(const ByteTile& tile, const std::int8_t* HWY_RESTRICT b,
                               const std::uint8_t* HWY_RESTRICT a, std::int32_t* HWY_RESTRICT c) {
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
      c[row * tile.ldc + n] = static_cast<std::int32_t>(static_cast<std::uint32_t>(c[row * tile.ldc + n]) +
                                                        static_cast<std::uint32_t>(halves[2 * n]) +
                                                        static_cast<std::uint32_t>(halves[2 * n + 1]));
  }
}

template <std::size_t kRows, std::size_t kPanels>
HWY_INLINE void multiply(const ByteTile& tile, const std::uint8_t* a, std::int32_t* c) {
  for (std::size_t p = 0; p < kPanels; ++p)
    multiply_panel<kRows>(tile, tile.panel + p * tile.panel_size, a, c + p * kByteColumns);
}
#endif

template <std::size_t kPanels>
HWY_INLINE void multiply_rows(const ByteTile& tile) {
  const auto* a = tile.a;
  auto* c = tile.c;
  auto rows = tile.rows;
  const auto advance = [&](std::size_t done) HWY_ATTR {
    rows -= done;
    a += done * tile.stride;
    c += done * tile.ldc;
  };
  for (; rows >= kTileRows; advance(kTileRows)) multiply<kTileRows, kPanels>(tile, a, c);
  if constexpr (kTileRows > 4)
    for (; rows >= 4; advance(4)) multiply<4, kPanels>(tile, a, c);
  for (; rows > 0; advance(1)) multiply<1, kPanels>(tile, a, c);
}

void byte_tile(const ByteTile& tile) {
  if (tile.panels == 2) multiply_rows<2>(tile);
  else multiply_rows<1>(tile);
}

}  // namespace macaw::tosa::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace macaw::tosa {
namespace {

HWY_EXPORT(byte_tile);

// Two panels of so many quads stay in the first-level cache while the rows pass by.
constexpr std::size_t kBlockQuads = 256;
// Rows whose sums stay there too.
constexpr std::size_t kBlockRows = 24;

void fill_terms(const ByteTerms& terms, std::size_t row, std::size_t column, std::size_t columns, std::int32_t* c) {
  const auto of_row = terms.rows.empty() ? 0u : static_cast<std::uint32_t>(terms.rows[row]);
  for (std::size_t n = 0; n < columns; ++n)
    c[n] = static_cast<std::int32_t>(static_cast<std::uint32_t>(terms.columns[column + n]) + of_row);
}

// Returns bits whose highest one says whether a sum overflowed.
std::int32_t add_bias(const std::int32_t* bias, std::size_t columns, const std::int32_t* sums, std::int32_t* c) {
  std::int32_t mark = 0;
  for (std::size_t n = 0; n < columns; ++n) {
    const auto a = sums[n], b = bias[n];
    const auto result = static_cast<std::int32_t>(static_cast<std::uint32_t>(a) + static_cast<std::uint32_t>(b));
    mark |= (a ^ result) & (b ^ result);
    c[n] = result;
  }
  return mark;
}

}  // namespace

bool byte_gemm(const ByteRows& a, const ByteMatrix& b, const ByteTerms& terms, std::int32_t* c, std::size_t ldc) {
  const auto kernel = HWY_DYNAMIC_DISPATCH(byte_tile);
  std::array<std::int32_t, kBlockRows * 2 * kByteColumns> sums;
  std::int32_t mark = 0;
  for (std::size_t panel = 0; panel < b.panels(); panel += 2) {
    const auto panels = std::min<std::size_t>(2, b.panels() - panel);
    const auto first = panel * kByteColumns, columns = std::min(panels * kByteColumns, b.n() - first);
    const auto ld = panels * kByteColumns;
    for (std::size_t row = 0; row < a.rows; row += kBlockRows) {
      const auto rows = std::min(kBlockRows, a.rows - row);
      for (std::size_t i = 0; i < rows; ++i) fill_terms(terms, row + i, first, ld, sums.data() + i * ld);
      for (std::size_t quad = 0; quad < b.quads(); quad += kBlockQuads)
        kernel({a.data + row * a.stride + 4 * quad, a.stride, rows, b.panel(panel) + quad * 4 * kByteColumns,
                b.panel_size(), panels, std::min(kBlockQuads, b.quads() - quad), sums.data(), ld});
      for (std::size_t i = 0; i < rows; ++i) {
        const auto* in = sums.data() + i * ld;
        auto* out = c + (row + i) * ldc + first;
        if (terms.bias.empty()) std::copy_n(in, columns, out);
        else mark |= add_bias(terms.bias.data() + first, columns, in, out);
      }
    }
  }
  return mark >= 0;
}

bool byte_gemm_scalar(const ByteRows& a, const ByteMatrix& b, const ByteTerms& terms, std::int32_t* c,
                      std::size_t ldc) {
  std::int32_t mark = 0;
  for (std::size_t m = 0; m < a.rows; ++m)
    for (std::size_t n = 0; n < b.n(); ++n) {
      std::int32_t start = 0;
      fill_terms(terms, m, n, 1, &start);
      auto wrapped = static_cast<std::uint32_t>(start);
      for (std::size_t k = 0; k < b.k(); ++k)
        wrapped += static_cast<std::uint32_t>(a.data[m * a.stride + k] * b.at(k, n));
      const auto sum = static_cast<std::int32_t>(wrapped);
      auto* out = c + m * ldc + n;
      *out = sum;
      if (!terms.bias.empty()) mark |= add_bias(terms.bias.data() + n, 1, &sum, out);
    }
  return mark >= 0;
}

}  // namespace macaw::tosa
#endif  // HWY_ONCE
