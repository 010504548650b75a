#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "reference/tosa/kernels/convert/scale_block.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "reference/tosa/kernels/convert/scale_block.hpp"

HWY_BEFORE_NAMESPACE();
namespace macaw::tosa::HWY_NAMESPACE {

#if HWY_TARGET == HWY_SCALAR
// Vectors of one element have no even and odd halves.
bool scale_vectors(const ScaleBlock& block) { return scale_block_scalar(block); }
bool scale_long_vectors(const ScaleBlock48& block) { return scale_block_scalar(block); }
#else
namespace hn = hwy::HWY_NAMESPACE;
using D32 = hn::ScalableTag<std::int32_t>;
using D64 = hn::RepartitionToWide<D32>;
using V32 = hn::Vec<D32>;
using V64 = hn::Vec<D64>;

// Pointers into half of a row, held by value: the compiler must assume that stores change objects read through a
// reference.
struct HalfRow {
  explicit HalfRow(const ScaleRow::Half& half)
      : multipliers(half.multipliers.data()),
        rounds(half.rounds.data()),
        shifts(half.shifts.data()),
        less(half.less.data()) {}
  const std::int64_t *multipliers, *rounds, *shifts, *less;
};

// Handles a row whose scales are all the same, or not.
template <bool kUniform, class D, class T>
HWY_INLINE hn::Vec<D> load(D d, const T* from, std::size_t at) {
  if constexpr (kUniform) return hn::Set(d, from[0]);
  else return hn::LoadU(d, from + at);
}

template <bool kUniform, bool kTwice>
HWY_INLINE V64 load_less(HalfRow half, std::size_t at) {
  if constexpr (kTwice) return load<kUniform>(D64(), half.less, at);
  else return hn::Zero(D64());
}

// Scales the even elements of `values`. Vectors may be of a size that no structure can have.
template <bool kTwice>
HWY_INLINE V64 scale_even(V32 values, V64 multipliers, V64 rounds, V64 shifts, V64 less) {
  const auto product = hn::MulEven(values, hn::BitCast(D32(), multipliers));
  auto sum = hn::Add(product, rounds);
  if constexpr (kTwice) sum = hn::Sub(sum, hn::And(hn::BroadcastSignBit(product), less));
  return hn::Shr(sum, shifts);
}

template <bool kBytes, bool kUniform, bool kTwice, ScaleRow::Rule kRule>
HWY_INLINE bool scale_all(const ScaleBlock& block) {
  const D32 d32;
  const D64 d64;
  const hn::RebindToUnsigned<D32> du32;
  const auto lanes = hn::Lanes(d32);
  const HalfRow even_row(block.row.even()), odd_row(block.row.odd());
  const auto *from = block.values, *limits = block.row.limits();
  const auto* bytes = block.bytes;
  [[maybe_unused]] const hn::Rebind<std::int8_t, D32> d8;
  [[maybe_unused]] const auto zero_point = hn::Set(d32, block.zero_point);
  auto* to = block.out;
  const auto first = block.first, size = block.size, rows = block.rows, pitch = block.pitch,
             out_pitch = block.out_pitch;
  // Bits that break the rule.
  auto outside = hn::Zero(d32);
  auto beyond = hn::Zero(d64);
  const auto half_range = hn::Set(d64, std::int64_t{1} << 31);
  std::size_t i = 0;
  for (; i + lanes <= size; i += lanes) {
    const auto at = (first + i) / 2;
    const auto even_multipliers = load<kUniform>(d64, even_row.multipliers, at),
               even_rounds = load<kUniform>(d64, even_row.rounds, at),
               even_shifts = load<kUniform>(d64, even_row.shifts, at),
               odd_multipliers = load<kUniform>(d64, odd_row.multipliers, at),
               odd_rounds = load<kUniform>(d64, odd_row.rounds, at),
               odd_shifts = load<kUniform>(d64, odd_row.shifts, at);
    const auto even_less = load_less<kUniform, kTwice>(even_row, at),
               odd_less = load_less<kUniform, kTwice>(odd_row, at);
    [[maybe_unused]] auto bits = hn::Zero(d32);
    if constexpr (kRule == ScaleRow::Rule::kValue) bits = load<kUniform>(d32, limits, first + i);
    for (std::size_t row = 0; row < rows; ++row) {
      V32 values;
      if constexpr (kBytes) values = hn::Sub(hn::PromoteTo(d32, hn::LoadU(d8, bytes + row * pitch + i)), zero_point);
      else values = hn::LoadU(d32, from + row * pitch + i);
      const auto even = scale_even<kTwice>(values, even_multipliers, even_rounds, even_shifts, even_less);
      const auto odd = scale_even<kTwice>(hn::DupOdd(values), odd_multipliers, odd_rounds, odd_shifts, odd_less);
      if constexpr (kRule == ScaleRow::Rule::kValue) {
        const auto magnitude = hn::BitCast(du32, hn::Xor(values, hn::BroadcastSignBit(values)));
        outside = hn::Or(outside, hn::BitCast(d32, hn::Shr(magnitude, hn::BitCast(du32, bits))));
      }
      if constexpr (kRule == ScaleRow::Rule::kResult)
        beyond = hn::Or(beyond, hn::Or(hn::Add(even, half_range), hn::Add(odd, half_range)));
      hn::StoreU(hn::OddEven(hn::BitCast(d32, hn::ShiftLeft<32>(odd)), hn::BitCast(d32, even)), d32,
                 to + row * out_pitch + i);
    }
  }
  bool holds = hn::AllTrue(d32, hn::Eq(outside, hn::Zero(d32)));
  holds &= hn::AllTrue(d64, hn::Eq(hn::ShiftRight<32>(beyond), hn::Zero(d64)));
  if (i == size) return holds;
  auto rest = block;
  rest.first += i;
  rest.size -= i;
  rest.out += i;
  if constexpr (kBytes) rest.bytes += i;
  else rest.values += i;
  return scale_block_scalar(rest) && holds;
}

template <bool kBytes, bool kUniform, bool kTwice>
HWY_INLINE bool scale_by_rule(const ScaleBlock& block) {
  using Rule = ScaleRow::Rule;
  switch (block.row.rule()) {
    case Rule::kNone: return scale_all<kBytes, kUniform, kTwice, Rule::kNone>(block);
    case Rule::kValue: return scale_all<kBytes, kUniform, kTwice, Rule::kValue>(block);
    case Rule::kResult: break;
  }
  return scale_all<kBytes, kUniform, false, Rule::kResult>(block);
}

template <bool kBytes>
HWY_INLINE bool scale_elements(const ScaleBlock& block) {
  const bool uniform = block.row.is_uniform(), twice = block.row.scaling() == ApplyScale::k32Twice;
  if (uniform) return twice ? scale_by_rule<kBytes, true, true>(block) : scale_by_rule<kBytes, true, false>(block);
  return twice ? scale_by_rule<kBytes, false, true>(block) : scale_by_rule<kBytes, false, false>(block);
}

bool scale_vectors(const ScaleBlock& block) {
  return block.bytes ? scale_elements<true>(block) : scale_elements<false>(block);
}

template <bool kUniform>
HWY_INLINE bool scale_long(const ScaleBlock48& block) {
  const D64 d64;
  const hn::RebindToUnsigned<D32> du32;
  const hn::RebindToUnsigned<D64> du64;
  const hn::Rebind<std::uint32_t, D64> d_out;
  const auto lanes = hn::Lanes(d64);
  const HalfRow row(block.row.all());
  const auto* from = block.values;
  auto* to = reinterpret_cast<std::uint32_t*>(block.out);
  const auto first = block.first, size = block.size;
  auto beyond = hn::Zero(d64);
  const auto half_range = hn::Set(d64, std::int64_t{1} << 31);
  std::size_t i = 0;
  for (; i + lanes <= size; i += lanes) {
    const auto value = hn::ShiftLeft<16>(hn::LoadU(d64, from + i));
    const auto multiplier = load<kUniform>(d64, row.multipliers, first + i);
    // The value has 16 bits below its own: the low half is that of 16 bits, the high half all the others.
    const auto low = hn::MulEven(hn::BitCast(du32, value), hn::BitCast(du32, multiplier));
    const auto high = hn::MulEven(hn::DupOdd(hn::BitCast(D32(), value)), hn::BitCast(D32(), multiplier));
    const auto product = hn::Add(hn::ShiftLeft<16>(high), hn::BitCast(d64, hn::ShiftRight<16>(low)));
    const auto sum = hn::Add(product, load<kUniform>(d64, row.rounds, first + i));
    const auto result = hn::Shr(sum, load<kUniform>(d64, row.shifts, first + i));
    beyond = hn::Or(beyond, hn::Add(result, half_range));
    hn::StoreU(hn::TruncateTo(d_out, hn::BitCast(du64, result)), d_out, to + i);
  }
  const bool holds = hn::AllTrue(d64, hn::Eq(hn::ShiftRight<32>(beyond), hn::Zero(d64)));
  return scale_block_scalar(ScaleBlock48{block.row, first + i, size - i, from + i, block.out + i}) && holds;
}

bool scale_long_vectors(const ScaleBlock48& block) {
  return block.row.is_uniform() ? scale_long<true>(block) : scale_long<false>(block);
}
#endif

}  // namespace macaw::tosa::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace macaw::tosa {
namespace {
HWY_EXPORT(scale_vectors);
HWY_EXPORT(scale_long_vectors);
}  // namespace

bool scale_block(const ScaleBlock& block) { return HWY_DYNAMIC_DISPATCH(scale_vectors)(block); }
bool scale_block(const ScaleBlock48& block) { return HWY_DYNAMIC_DISPATCH(scale_long_vectors)(block); }

}  // namespace macaw::tosa
#endif  // HWY_ONCE
