#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "reference/tosa/kernels/gemm/taps.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "reference/tosa/kernels/gemm/taps.hpp"

HWY_BEFORE_NAMESPACE();
namespace macaw::tosa::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// Elements from `first` on as far as whole groups of vectors go; returns the first one left.
template <std::size_t kVectors>
HWY_INLINE std::size_t sum_groups(const Tap<std::int16_t>* taps, std::size_t count, std::size_t first, std::size_t end,
                                  std::int32_t* sums) {
  const hn::ScalableTag<std::int32_t> d32;
  const hn::Rebind<std::int16_t, decltype(d32)> d16;
  const auto lanes = hn::Lanes(d32);
  for (; first + kVectors * lanes <= end; first += kVectors * lanes) {
    // One variable each: types of scalable size cannot form an array.
    auto sum0 = hn::Zero(d32), sum1 = sum0, sum2 = sum0, sum3 = sum0;
    for (std::size_t t = 0; t < count; ++t) {
      const auto* in = taps[t].in + first;
      const auto* weight = taps[t].weight + first;
      const auto product = [&](std::size_t vector) HWY_ATTR {
        return hn::Mul(hn::PromoteTo(d32, hn::LoadU(d16, in + vector * lanes)),
                       hn::PromoteTo(d32, hn::LoadU(d16, weight + vector * lanes)));
      };
      sum0 = hn::Add(sum0, product(0));
      if constexpr (kVectors > 1) {
        sum1 = hn::Add(sum1, product(1));
        sum2 = hn::Add(sum2, product(2));
        sum3 = hn::Add(sum3, product(3));
      }
    }
    hn::StoreU(sum0, d32, sums + first);
    if constexpr (kVectors > 1) {
      hn::StoreU(sum1, d32, sums + first + lanes);
      hn::StoreU(sum2, d32, sums + first + 2 * lanes);
      hn::StoreU(sum3, d32, sums + first + 3 * lanes);
    }
  }
  return first;
}

void sum_taps_vector(const Tap<std::int16_t>* taps, std::size_t count, std::int32_t* sums, std::size_t size) {
  auto first = sum_groups<4>(taps, count, 0, size, sums);
  first = sum_groups<1>(taps, count, first, size, sums);
  for (; first < size; ++first) {
    std::uint32_t sum = 0;
    for (std::size_t t = 0; t < count; ++t)
      sum += static_cast<std::uint32_t>(taps[t].in[first] * taps[t].weight[first]);
    sums[first] = static_cast<std::int32_t>(sum);
  }
}

}  // namespace macaw::tosa::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace macaw::tosa {
namespace {
HWY_EXPORT(sum_taps_vector);
}

void sum_taps(std::span<const Tap<std::int16_t>> taps, std::span<std::int32_t> sums) {
  HWY_DYNAMIC_DISPATCH(sum_taps_vector)(taps.data(), taps.size(), sums.data(), sums.size());
}

void sum_taps_scalar(std::span<const Tap<std::int16_t>> taps, std::span<std::int32_t> sums) {
  for (std::size_t i = 0; i < sums.size(); ++i) {
    std::int64_t sum = 0;
    for (const auto& tap : taps) sum += std::int64_t{tap.in[i]} * tap.weight[i];
    sums[i] = static_cast<std::int32_t>(sum);
  }
}

}  // namespace macaw::tosa
#endif  // HWY_ONCE
