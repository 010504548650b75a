// The sums of a tile are an array of vectors, which types of scalable size cannot form.
#undef HWY_DISABLED_TARGETS
#define HWY_DISABLED_TARGETS (HWY_SVE | HWY_SVE2 | HWY_SVE_256 | HWY_SVE2_128 | HWY_RVV)
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "reference/op/gemm/float_gemm.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include <algorithm>

#include "reference/op/gemm/float_gemm.hpp"

HWY_BEFORE_NAMESPACE();
namespace macaw::tosa::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// Mul and Add, never MulAdd: targets differ in whether they have a fused one.
template <std::size_t kRows, class T>
HWY_INLINE void tile_rows(const T* HWY_RESTRICT a, std::size_t stride, const T* HWY_RESTRICT b, std::size_t k,
                          T* HWY_RESTRICT c, std::size_t ldc) {
  constexpr std::size_t kLanes = std::min<std::size_t>(HWY_LANES(T), kFloatGemmColumns);
  constexpr std::size_t kVectors = kFloatGemmColumns / kLanes;
  const hn::CappedTag<T, kLanes> d;
  hn::Vec<decltype(d)> sums[kRows][kVectors];
  for (std::size_t row = 0; row < kRows; ++row)
    for (std::size_t v = 0; v < kVectors; ++v) sums[row][v] = hn::LoadU(d, c + row * ldc + v * kLanes);
  for (std::size_t i = 0; i < k; ++i, b += kFloatGemmColumns) {
    hn::Vec<decltype(d)> columns[kVectors];
    for (std::size_t v = 0; v < kVectors; ++v) columns[v] = hn::LoadU(d, b + v * kLanes);
    for (std::size_t row = 0; row < kRows; ++row) {
      const auto value = hn::Set(d, a[row * stride + i]);
      for (std::size_t v = 0; v < kVectors; ++v) sums[row][v] = hn::Add(sums[row][v], hn::Mul(value, columns[v]));
    }
  }
  for (std::size_t row = 0; row < kRows; ++row)
    for (std::size_t v = 0; v < kVectors; ++v) hn::StoreU(sums[row][v], d, c + row * ldc + v * kLanes);
}

// Adds the products of `rows` rows of a with `k` rows of a panel to c.
template <class T>
HWY_INLINE void panel_rows(const T* a, std::size_t stride, std::size_t rows, const T* b, std::size_t k, T* c,
                           std::size_t ldc) {
  // As many rows as the registers hold sums for.
  constexpr std::size_t kVectors = kFloatGemmColumns / std::min<std::size_t>(HWY_LANES(T), kFloatGemmColumns);
  constexpr std::size_t kTileRows = kVectors <= 1 ? 12 : kVectors <= 2 ? 6 : kVectors <= 4 ? 3 : 1;
  for (; rows >= kTileRows; rows -= kTileRows, a += kTileRows * stride, c += kTileRows * ldc)
    tile_rows<kTileRows>(a, stride, b, k, c, ldc);
  for (; rows > 0; --rows, a += stride, c += ldc) tile_rows<1>(a, stride, b, k, c, ldc);
}

void panel_f32(const float* a, std::size_t stride, std::size_t rows, const float* b, std::size_t k, float* c,
               std::size_t ldc) {
  panel_rows(a, stride, rows, b, k, c, ldc);
}
void panel_f64(const double* a, std::size_t stride, std::size_t rows, const double* b, std::size_t k, double* c,
               std::size_t ldc) {
  panel_rows(a, stride, rows, b, k, c, ldc);
}

}  // namespace macaw::tosa::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace macaw::tosa {
namespace {

HWY_EXPORT(panel_f32);
HWY_EXPORT(panel_f64);

// Rows of a panel that stay in the first-level cache while the rows of a pass by.
constexpr std::size_t kBlockBytes = std::size_t{1} << 14;

template <class T, class Panel>
void run(const FloatRows<T>& a, const FloatPanels<T>& b, T* c, Panel panel) {
  constexpr auto kBlock = kBlockBytes / (kFloatGemmColumns * sizeof(T));
  const auto ldc = b.columns();
  std::fill_n(c, a.rows * ldc, T{0});
  for (std::size_t k = 0; k < b.k(); k += kBlock)
    for (std::size_t first = 0; first < ldc; first += kFloatGemmColumns)
      panel(a.data + k, a.stride, a.rows, b.panel(first) + k * kFloatGemmColumns, std::min(kBlock, b.k() - k),
            c + first, ldc);
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
  run(a, b, c, HWY_DYNAMIC_DISPATCH(panel_f32));
}
void float_gemm(const FloatRows<double>& a, const FloatPanels<double>& b, double* c) {
  run(a, b, c, HWY_DYNAMIC_DISPATCH(panel_f64));
}
void float_gemm_scalar(const FloatRows<float>& a, const FloatPanels<float>& b, float* c) { run_scalar(a, b, c); }
void float_gemm_scalar(const FloatRows<double>& a, const FloatPanels<double>& b, double* c) { run_scalar(a, b, c); }

}  // namespace macaw::tosa
#endif  // HWY_ONCE
