#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "reference/tosa/kernels/gemm/byte_taps.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "reference/tosa/kernels/gemm/byte_taps.hpp"

#ifndef MACAW_BYTE_TAPS_ONCE
#define MACAW_BYTE_TAPS_ONCE
namespace macaw::tosa {

// Channels from `first` on; returns bits, the highest of which is set if adding a bias overflowed.
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
using V32 = hn::Vec<D32>;
using V16 = hn::Vec<D16>;

// Values of as many channels as D16 has elements, widened so that interleaving two such vectors within blocks of 16
// bytes leaves the channels in their order.
using D8 = hn::Rebind<std::int8_t, D16>;
using Fours = hn::Repartition<std::uint32_t, D8>;
using Order = decltype(hn::IndicesFromVec(Fours(), hn::Zero(Fours())));

HWY_INLINE Order order_of_fours() {
  const Fours d;
  const auto number = hn::Iota(d, 0), odd = hn::And(number, hn::Set(d, 1));
  const auto half = hn::Set(d, static_cast<std::uint32_t>(hn::Lanes(d) / 2));
  return hn::IndicesFromVec(d, hn::Add(hn::ShiftRight<1>(number), hn::Mul(odd, half)));
}
HWY_INLINE V16 widened(const std::int8_t* from, Order order) {
  const auto fours = hn::BitCast(Fours(), hn::LoadU(D8(), from));
  return hn::PromoteTo(D16(), hn::BitCast(D8(), hn::TableLookupLanes(fours, order)));
}

// Adds offset and bias and stores; returns the mark of sum_channels().
HWY_INLINE V32 finish(V32 products, const ByteTaps& taps, std::size_t c, std::int32_t* out) {
  const D32 d32;
  const auto sum = hn::Add(products, hn::LoadU(d32, taps.offsets + c)), b = hn::LoadU(d32, taps.bias + c);
  const auto result = hn::Add(sum, b);
  hn::StoreU(result, d32, out + c);
  return hn::And(hn::Xor(sum, result), hn::Xor(b, result));
}

bool sum_vector(const ByteTaps& taps, std::int32_t* out) {
  const D32 d32;
  const D16 d16;
  const auto lanes = hn::Lanes(d32);
  const auto order = order_of_fours();
  auto mark = hn::Zero(d32);
  std::size_t c = 0;
  for (; c + 2 * lanes <= taps.channels; c += 2 * lanes) {
    auto sum0 = hn::Zero(d32), sum1 = sum0, other0 = sum0, other1 = sum0;
    for (std::size_t t = 0; t < taps.in.size(); t += 2) {
      const auto* weights = taps.weights + t * taps.channels + 2 * c;
      const auto even = widened(taps.in[t] + c, order), odd = widened(taps.in[t + 1] + c, order);
      const auto first = hn::InterleaveLower(d16, even, odd), second = hn::InterleaveUpper(d16, even, odd);
      sum0 = hn::ReorderWidenMulAccumulate(d32, first, hn::LoadU(d16, weights), sum0, other0);
      sum1 = hn::ReorderWidenMulAccumulate(d32, second, hn::LoadU(d16, weights + 2 * lanes), sum1, other1);
    }
    mark = hn::Or(mark, finish(hn::RearrangeToOddPlusEven(sum0, other0), taps, c, out));
    mark = hn::Or(mark, finish(hn::RearrangeToOddPlusEven(sum1, other1), taps, c + lanes, out));
  }
  if (c + lanes <= taps.channels) {
    const hn::Rebind<std::int8_t, D32> d8;
    auto sum = hn::Zero(d32), other = sum;
    for (std::size_t t = 0; t < taps.in.size(); t += 2) {
      const auto even = hn::PromoteTo(d32, hn::LoadU(d8, taps.in[t] + c));
      const auto odd = hn::PromoteTo(d32, hn::LoadU(d8, taps.in[t + 1] + c));
      const auto pair = hn::OddEven(hn::BitCast(d16, hn::ShiftLeft<16>(odd)), hn::BitCast(d16, even));
      sum = hn::ReorderWidenMulAccumulate(d32, pair, hn::LoadU(d16, taps.weights + t * taps.channels + 2 * c), sum,
                                          other);
    }
    mark = hn::Or(mark, finish(hn::RearrangeToOddPlusEven(sum, other), taps, c, out));
    c += lanes;
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
