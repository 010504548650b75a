#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "reference/fast/gemm/byte_taps.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "reference/fast/gemm/byte_taps.hpp"

#ifndef MACAW_BYTE_TAPS_ONCE
#define MACAW_BYTE_TAPS_ONCE
namespace macaw::tosa {

// Channels from `first` on; returns bits whose highest one says whether adding a bias overflowed.
inline std::int32_t sum_channels(const ByteTaps& taps, std::size_t first, std::int32_t* out) {
  std::int32_t mark = 0;
  for (auto c = first; c < taps.channels; ++c) {
    std::uint32_t sum = 0;
    for (std::size_t t = 0; t < taps.in.size(); ++t) {
      const auto weight = taps.weights[(t / 2 * taps.channels + c) * 2 + t % 2];
      sum += static_cast<std::uint32_t>((taps.in[t][c] - taps.zero_point) * weight);
    }
    const auto a = static_cast<std::int32_t>(sum), b = taps.bias[c];
    const auto result = static_cast<std::int32_t>(sum + static_cast<std::uint32_t>(b));
    mark |= (a ^ result) & (b ^ result);
    out[c] = result;
  }
  return mark;
}

}  // namespace macaw::tosa
#endif

HWY_BEFORE_NAMESPACE();
namespace macaw::tosa::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

#if HWY_TARGET == HWY_SCALAR
// Vectors of one element hold no pairs.
bool sum_vector(const ByteTaps& taps, std::int32_t* out) { return sum_channels(taps, 0, out) >= 0; }
#else
using D32 = hn::ScalableTag<std::int32_t>;
using D16 = hn::Repartition<std::int16_t, D32>;
using D8 = hn::Rebind<std::int8_t, D32>;

// Adds a bias and stores; returns the mark of sum_channels().
HWY_INLINE hn::Vec<D32> finish(hn::Vec<D32> sum, const std::int32_t* bias, std::int32_t* out) {
  const D32 d32;
  const auto b = hn::LoadU(d32, bias);
  const auto result = hn::Add(sum, b);
  hn::StoreU(result, d32, out);
  return hn::And(hn::Xor(sum, result), hn::Xor(b, result));
}

bool sum_vector(const ByteTaps& taps, std::int32_t* out) {
  const D32 d32;
  const D16 d16;
  const D8 d8;
  const auto lanes = hn::Lanes(d32);
  const auto zero_point = hn::Set(d16, taps.zero_point);
  auto mark = hn::Zero(d32);
  // A channel's values of two taps side by side, as its weights are.
  const auto pair = [&](std::size_t t, std::size_t c) HWY_ATTR {
    const auto even = hn::PromoteTo(d32, hn::LoadU(d8, taps.in[t] + c));
    const auto odd = hn::PromoteTo(d32, hn::LoadU(d8, taps.in[t + 1] + c));
    return hn::Sub(hn::OddEven(hn::BitCast(d16, hn::ShiftLeft<16>(odd)), hn::BitCast(d16, even)), zero_point);
  };
  std::size_t c = 0;
  for (; c + 2 * lanes <= taps.channels; c += 2 * lanes) {
    auto sum0 = hn::Zero(d32), sum1 = sum0, other0 = sum0, other1 = sum0;
    for (std::size_t t = 0; t < taps.in.size(); t += 2) {
      const auto* weights = taps.weights + t * taps.channels + 2 * c;
      sum0 = hn::ReorderWidenMulAccumulate(d32, pair(t, c), hn::LoadU(d16, weights), sum0, other0);
      sum1 = hn::ReorderWidenMulAccumulate(d32, pair(t, c + lanes), hn::LoadU(d16, weights + 2 * lanes), sum1, other1);
    }
    mark = hn::Or(mark, finish(hn::RearrangeToOddPlusEven(sum0, other0), taps.bias + c, out + c));
    mark = hn::Or(mark, finish(hn::RearrangeToOddPlusEven(sum1, other1), taps.bias + c + lanes, out + c + lanes));
  }
  for (; c + lanes <= taps.channels; c += lanes) {
    auto sum = hn::Zero(d32), other = sum;
    for (std::size_t t = 0; t < taps.in.size(); t += 2)
      sum = hn::ReorderWidenMulAccumulate(d32, pair(t, c), hn::LoadU(d16, taps.weights + t * taps.channels + 2 * c),
                                          sum, other);
    mark = hn::Or(mark, finish(hn::RearrangeToOddPlusEven(sum, other), taps.bias + c, out + c));
  }
  const bool fits = hn::AllFalse(d32, hn::Lt(mark, hn::Zero(d32)));
  return sum_channels(taps, c, out) >= 0 && fits;
}
#endif

}  // namespace macaw::tosa::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace macaw::tosa {
namespace {
HWY_EXPORT(sum_vector);
}

bool sum_byte_taps(const ByteTaps& taps, std::int32_t* out) { return HWY_DYNAMIC_DISPATCH(sum_vector)(taps, out); }
bool sum_byte_taps_scalar(const ByteTaps& taps, std::int32_t* out) { return sum_channels(taps, 0, out) >= 0; }

}  // namespace macaw::tosa
#endif  // HWY_ONCE
