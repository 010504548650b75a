// The sums of a tile are an array of vectors, which types of scalable size cannot form.
#undef HWY_DISABLED_TARGETS
#define HWY_DISABLED_TARGETS (HWY_SVE | HWY_SVE2 | HWY_SVE_256 | HWY_SVE2_128 | HWY_RVV)
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "reference/tosa/kernels/gemm/float_gemm.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include <algorithm>

#include "reference/tosa/kernels/gemm/float_gemm.hpp"
#include "reference/tosa/kernels/gemm/float_tile.hpp"

HWY_BEFORE_NAMESPACE();
namespace macaw::tosa::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

#if HWY_ARCH_X86 && HWY_TARGET <= HWY_AVX3
// A product broadcasts its operand from memory itself, which Zen 4 does at full speed; with broadcasts into a register,
// to which the compiler merges two equal loads, it reaches two thirds of that rate.
constexpr bool kMulBroadcasts = true;
#else
constexpr bool kMulBroadcasts = false;
#endif

// Mul and Add, never MulAdd: targets differ in whether they have a fused one.
template <std::size_t kRows, std::size_t kPanels, class T>
HWY_INLINE void tile_rows(const FloatTile<T>& tile, const T* HWY_RESTRICT a, T* HWY_RESTRICT c) {
  constexpr std::size_t kLanes = std::min<std::size_t>(HWY_LANES(T), kFloatGemmColumns);
  constexpr std::size_t kVectors = kFloatGemmColumns / kLanes;
  const hn::CappedTag<T, kLanes> d;
  hn::Vec<decltype(d)> sums[kRows][kPanels * kVectors];
  for (std::size_t row = 0; row < kRows; ++row)
    for (std::size_t v = 0; v < kPanels * kVectors; ++v) sums[row][v] = hn::LoadU(d, c + row * tile.ldc + v * kLanes);
  const T* HWY_RESTRICT b = tile.panel;
  for (std::size_t i = 0; i < tile.k; ++i, b += kFloatGemmColumns) {
    hn::Vec<decltype(d)> columns[kPanels * kVectors];
    for (std::size_t v = 0; v < kPanels * kVectors; ++v)
      columns[v] = hn::LoadU(d, b + v / kVectors * tile.panel_size + v % kVectors * kLanes);
    for (std::size_t row = 0; row < kRows; ++row) {
      const auto* value = a + row * tile.stride + i;
      for (std::size_t v = 0; v < kPanels * kVectors; ++v) {
        sums[row][v] = hn::Add(sums[row][v], hn::Mul(hn::Set(d, *value), columns[v]));
        if constexpr (kMulBroadcasts) asm("" : "+r"(value));
      }
    }
  }
  for (std::size_t row = 0; row < kRows; ++row)
    for (std::size_t v = 0; v < kPanels * kVectors; ++v) hn::StoreU(sums[row][v], d, c + row * tile.ldc + v * kLanes);
}

template <std::size_t kPanels, class T>
HWY_INLINE void panel_rows(const FloatTile<T>& tile) {
  // As many rows as the registers hold sums for.
  constexpr std::size_t kVectors = kPanels * kFloatGemmColumns / std::min<std::size_t>(HWY_LANES(T), kFloatGemmColumns);
  constexpr std::size_t kRegisters = HWY_TARGET <= HWY_AVX3 || HWY_ARCH_ARM_A64 ? 24 : 12;
  constexpr std::size_t kTileRows = std::max<std::size_t>(kRegisters / kVectors, 1);
  const T* a = tile.a;
  T* c = tile.c;
  auto rows = tile.rows;
  for (; rows >= kTileRows; rows -= kTileRows, a += kTileRows * tile.stride, c += kTileRows * tile.ldc)
    tile_rows<kTileRows, kPanels>(tile, a, c);
  for (; rows > 0; --rows, a += tile.stride, c += tile.ldc) tile_rows<1, kPanels>(tile, a, c);
}

template <class T>
HWY_INLINE void multiply(const FloatTile<T>& tile) {
  if (tile.panels == 2) panel_rows<2>(tile);
  else panel_rows<1>(tile);
}

void tile_f32(const FloatTile<float>& tile) { multiply(tile); }
void tile_f64(const FloatTile<double>& tile) { multiply(tile); }

}  // namespace macaw::tosa::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace macaw::tosa {
namespace {

HWY_EXPORT(tile_f32);
HWY_EXPORT(tile_f64);

// A panel's rows that stay in the first-level cache, two panels at a time, while the rows of a pass by.
constexpr std::size_t kBlockBytes = std::size_t{1} << 13;

template <class T, class Kernel>
void run(const FloatRows<T>& a, const FloatPanels<T>& b, T* c, Kernel kernel) {
  constexpr auto kBlock = kBlockBytes / (kFloatGemmColumns * sizeof(T));
  const auto ldc = b.columns();
  std::fill_n(c, a.rows * ldc, T{0});
  for (std::size_t k = 0; k < b.k(); k += kBlock)
    for (std::size_t first = 0; first < ldc; first += 2 * kFloatGemmColumns)
      kernel(FloatTile<T>{a.data + k, a.stride, a.rows, b.panel(first) + k * kFloatGemmColumns,
                          b.k() * kFloatGemmColumns, first + kFloatGemmColumns < ldc ? std::size_t{2} : std::size_t{1},
                          std::min(kBlock, b.k() - k), c + first, ldc});
}

template <class T>
void run_scalar(const FloatRows<T>& a, const FloatPanels<T>& b, T* c) {
  for (std::size_t m = 0; m < a.rows; ++m)
    for (std::size_t n = 0; n < b.columns(); ++n) {
      T sum = 0;
      for (std::size_t k = 0; k < b.k(); ++k) sum += a.data[m * a.stride + k] * b.at(k, n);
      c[m * b.columns() + n] = sum;
    }
}

}  // namespace

void float_gemm(const FloatRows<float>& a, const FloatPanels<float>& b, float* c) {
  run(a, b, c, HWY_DYNAMIC_DISPATCH(tile_f32));
}
void float_gemm(const FloatRows<double>& a, const FloatPanels<double>& b, double* c) {
  run(a, b, c, HWY_DYNAMIC_DISPATCH(tile_f64));
}
void float_gemm_scalar(const FloatRows<float>& a, const FloatPanels<float>& b, float* c) { run_scalar(a, b, c); }
void float_gemm_scalar(const FloatRows<double>& a, const FloatPanels<double>& b, double* c) { run_scalar(a, b, c); }

}  // namespace macaw::tosa
#endif  // HWY_ONCE
