#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "sim/datapath/fast/weight_chunks.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "sim/datapath/fast/weight_chunks.hpp"

#include <algorithm>

HWY_BEFORE_NAMESPACE();
namespace macaw::npu::weight_stream {
namespace HWY_NAMESPACE {

#if HWY_TARGET == HWY_SCALAR || HWY_HAVE_SCALABLE

void chunks(const IndexCode&, BitReader&, WeightsRead&) {}
void chunks_with_runs(const IndexCode&, BitReader&, WeightsRead&, RunsRead&) {}

#else

namespace hn = hwy::HWY_NAMESPACE;
using Lanes = hn::Full128<std::int16_t>;
using Bytes = hn::Full128<std::uint8_t>;
using Vector = hn::Vec<Lanes>;

constexpr std::size_t kLanes = 8;
constexpr std::size_t kLongestChunk = 3 * 64;  // bits of codes, remainders and zero runs together

/// Computes the weights of eight indices at once.
template <bool kPalette>
class Values {
 public:
  explicit Values(const IndexCode& code) : code_(code) {
    for (int i = 0; i < static_cast<int>(kLanes); ++i) {
      const int bit = i * code.wdiv;
      bytes_[2 * i] = static_cast<std::uint8_t>(bit / 8);
      bytes_[2 * i + 1] = static_cast<std::uint8_t>(std::min(bit / 8 + 1, 7));
      // Moves the highest bit of a field to the highest bit of its lane.
      move_[i] = static_cast<std::int16_t>(code.wdiv == 0 ? 0 : 1 << (16 - code.wdiv - bit % 8));
    }
  }

  /// `fields`: a remainder for each quotient.
  HWY_INLINE void store(std::uint64_t fields, const std::uint8_t* quotients, std::int16_t* weights) const {
    const Lanes lanes;
    const Bytes bytes;
    const hn::Full128<std::uint16_t> words;
    const auto all = hn::BitCast(bytes, hn::Set(hn::Full128<std::uint64_t>(), fields));
    const auto pairs = hn::BitCast(lanes, hn::TableLookupBytes(all, hn::Load(bytes, bytes_)));
    const auto remainder =
        hn::ShiftRightSame(hn::BitCast(words, hn::Mul(pairs, hn::Load(lanes, move_))), (16 - code_.wdiv) % 16);
    const auto quotient = hn::PromoteTo(lanes, hn::LoadU(hn::Rebind<std::uint8_t, Lanes>(), quotients));
    const Vector index = hn::Or(hn::ShiftLeftSame(quotient, code_.wdiv), hn::BitCast(lanes, remainder));
    const Vector folded = hn::Add(index, hn::Set(lanes, static_cast<std::int16_t>(code_.direct)));
    const Vector sign = hn::Neg(hn::And(folded, hn::Set(lanes, 1)));
    Vector weight = hn::Sub(hn::Xor(hn::ShiftRight<1>(folded), sign), sign);
    if constexpr (kPalette) {
      const auto inside = hn::Lt(index, hn::Set(lanes, static_cast<std::int16_t>(code_.palette_size)));
      weight = hn::IfThenElse(inside, look_up(index), weight);
    }
    hn::StoreU(weight, lanes, weights);
  }

 private:
  /// Decodes indices below kMaxPalette.
  HWY_INLINE Vector look_up(Vector index) const {
    const Lanes lanes;
    const Bytes bytes;
    // Offsets of the two bytes of an entry; a vector has eight entries.
    const Vector pairs = hn::Add(hn::Mul(index, hn::Set(lanes, 0x0202)), hn::Set(lanes, 0x0100));
    const auto at = hn::And(hn::BitCast(bytes, pairs), hn::Set(bytes, 15));
    const auto entries = [&](int first) {
      return hn::BitCast(lanes, hn::TableLookupBytes(hn::BitCast(bytes, hn::LoadU(lanes, code_.palette + first)), at));
    };
    const auto below = [&](std::int16_t limit) { return hn::Lt(index, hn::Set(lanes, limit)); };
    return hn::IfThenElse(below(16), hn::IfThenElse(below(8), entries(0), entries(8)),
                          hn::IfThenElse(below(24), entries(16), entries(24)));
  }

  const IndexCode code_;
  alignas(16) std::uint8_t bytes_[2 * kLanes];
  alignas(16) std::int16_t move_[kLanes];
};

/// Writes the weights of a chunk, whose remainders are next.
template <bool kPalette>
HWY_INLINE void take_remainders(const Values<kPalette>& values, int wdiv, BitReader& bits, const ByteChunk& quotients,
                                std::int16_t*& next) {
  const std::span<const std::uint8_t> symbols = quotients.symbols();
  BitReader at = bits;
  values.store(at.peek_inside(), symbols.data(), next);
  if (symbols.size() > kLanes) {
    at.skip(static_cast<int>(kLanes) * wdiv);
    values.store(at.peek_inside(), symbols.data() + kLanes, next + kLanes);
  }
  bits.skip(static_cast<int>(symbols.size()) * wdiv);
  next += symbols.size();
}

HWY_INLINE void take_remainders(BitReader& bits, RunsRead& runs) {
  const std::span<const std::uint8_t> symbols = runs.quotients.symbols();
  if (runs.zdiv == 0) {
    const hn::Full128<std::uint32_t> words;
    const hn::Rebind<std::uint8_t, decltype(words)> four;
    for (std::size_t i = 0; i < symbols.size(); i += 4)
      hn::StoreU(hn::PromoteTo(words, hn::LoadU(four, symbols.data() + i)), words, runs.next + i);
  } else {
    std::uint64_t fields = bits.peek_inside();
    const unsigned mask = (1u << runs.zdiv) - 1;
    for (std::size_t i = 0; i < symbols.size(); ++i, fields >>= runs.zdiv)
      runs.next[i] = (unsigned{symbols[i]} << runs.zdiv) + (static_cast<unsigned>(fields) & mask);
    bits.skip(static_cast<int>(symbols.size()) * runs.zdiv);
  }
  runs.next += symbols.size();
}

HWY_INLINE void take_quotients(unsigned codes, unsigned further, ByteChunk& quotients, unsigned& pending) {
  constexpr unsigned kSix = (1u << 6) - 1;
  quotients.clear();
  quotients.add(kSixCodes[(codes & kSix) | (further & kSix) << 6], pending);
  quotients.add(kSixCodes[codes >> 6 | (further >> kOnes[codes & kSix] & kSix) << 6], pending);
}

HWY_INLINE bool is_known(const IndexCode& code, unsigned codes, unsigned further, unsigned pending) {
  // Usually the further bits are sufficient.
  return pending + 2 * kOnes[further] + 1 < code.quotients_known ||
         reach(codes, further, pending) < code.quotients_known;
}

template <bool kPalette>
void chunks_of(const IndexCode& code, BitReader& reader, WeightsRead& weights) {
  const Values<kPalette> values(code);
  // The loop modifies local copies, which can stay in registers.
  BitReader bits = reader;
  ByteChunk quotients = weights.quotients;
  unsigned pending = weights.pending;
  int left = weights.left;
  std::int16_t* next = weights.next;
  while (left >= kSpareWeights && bits.left() > kLongestChunk) {
    const auto window = static_cast<unsigned>(bits.peek_inside());
    const unsigned codes = window & ((1u << kUnaryBits) - 1);
    const unsigned further = (window >> kUnaryBits) & ((1u << kOnes[codes]) - 1);
    if (!is_known(code, codes, further, pending)) break;
    bits.skip(kUnaryBits + kOnes[codes]);
    take_remainders(values, code.wdiv, bits, quotients, next);
    take_quotients(codes, further, quotients, pending);
    left -= static_cast<int>(quotients.count());
  }
  reader = bits;
  weights = {quotients, pending, left, next};
}

template <bool kPalette>
void chunks_with_runs_of(const IndexCode& code, BitReader& reader, WeightsRead& weights, RunsRead& zeros) {
  const Values<kPalette> values(code);
  BitReader bits = reader;
  RunsRead runs = zeros;
  ByteChunk quotients = weights.quotients;
  unsigned pending = weights.pending;
  int left = weights.left;
  std::int16_t* next = weights.next;
  const int run_bits = zero_unary_bits(runs.zdiv);
  while (left >= kUnaryBits && runs.left >= kUnaryBits && bits.left() > kLongestChunk) {
    const bool more_weights = runs.balance < kBalanceLimit, more_runs = runs.balance >= 0;
    std::uint64_t window = bits.peek_inside();
    const auto take = [&window](int count) {
      const auto taken = static_cast<unsigned>(window) & ((1u << count) - 1);
      window >>= count;
      return taken;
    };
    const unsigned codes = take(more_weights ? kUnaryBits : 0), ones = take(more_runs ? run_bits : 0);
    const unsigned further = take(kOnes[codes]);
    if (!is_known(code, codes, further, pending) || runs.pending + kUnaryBits >= ByteChunk::kLimit) break;
    bits.skip((more_weights ? kUnaryBits : 0) + (more_runs ? run_bits : 0) + kOnes[codes]);
    take_remainders(values, code.wdiv, bits, quotients, next);
    take_remainders(bits, runs);
    quotients.clear();
    runs.quotients.clear();
    if (more_weights) {
      take_quotients(codes, further, quotients, pending);
      left -= static_cast<int>(quotients.count());
    }
    if (more_runs) {
      for (int bit = 0; bit < run_bits; bit += 4) runs.quotients.add(kFourOnes[ones >> bit & 15], runs.pending);
      runs.left -= static_cast<int>(runs.quotients.count());
    }
    runs.balance += static_cast<int>(quotients.count()) - static_cast<int>(runs.quotients.count());
  }
  reader = bits;
  weights = {quotients, pending, left, next};
  zeros = runs;
}

void chunks(const IndexCode& code, BitReader& bits, WeightsRead& weights) {
  if (code.palette_size > 0) chunks_of<true>(code, bits, weights);
  else chunks_of<false>(code, bits, weights);
}
void chunks_with_runs(const IndexCode& code, BitReader& bits, WeightsRead& weights, RunsRead& runs) {
  if (code.palette_size > 0) chunks_with_runs_of<true>(code, bits, weights, runs);
  else chunks_with_runs_of<false>(code, bits, weights, runs);
}

#endif

}  // namespace HWY_NAMESPACE
}  // namespace macaw::npu::weight_stream
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace macaw::npu::weight_stream {

HWY_EXPORT(chunks);
HWY_EXPORT(chunks_with_runs);

void take_chunks(const IndexCode& code, BitReader& bits, WeightsRead& weights) {
  HWY_DYNAMIC_DISPATCH(chunks)(code, bits, weights);
}
void take_chunks(const IndexCode& code, BitReader& bits, WeightsRead& weights, RunsRead& runs) {
  HWY_DYNAMIC_DISPATCH(chunks_with_runs)(code, bits, weights, runs);
}

}  // namespace macaw::npu::weight_stream
#endif
