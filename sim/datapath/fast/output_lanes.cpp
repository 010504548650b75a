#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "sim/datapath/fast/output_lanes.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "sim/datapath/fast/output_lanes.hpp"

#include <algorithm>
#include <cstring>

HWY_BEFORE_NAMESPACE();
namespace macaw::npu {
namespace HWY_NAMESPACE {

#if HWY_TARGET == HWY_SCALAR || HWY_HAVE_SCALABLE

bool store_bytes(const OutputLanes::Constants&, const std::int32_t*, int, std::ptrdiff_t, std::int8_t*) {
  return false;
}
bool store_unsigned_bytes(const OutputLanes::Constants&, const std::int32_t*, int, std::ptrdiff_t, std::uint8_t*) {
  return false;
}
bool store_halves(const OutputLanes::Constants&, const std::int32_t*, int, std::ptrdiff_t, std::int16_t*) {
  return false;
}
bool store_unsigned_halves(const OutputLanes::Constants&, const std::int32_t*, int, std::ptrdiff_t, std::uint16_t*) {
  return false;
}
bool store_words(const OutputLanes::Constants&, const std::int32_t*, int, std::ptrdiff_t, std::int32_t*) {
  return false;
}

#else

namespace hn = hwy::HWY_NAMESPACE;
using D32 = hn::CappedTag<std::int32_t, kGemmChannels>;
using D64 = hn::Repartition<std::int64_t, D32>;
using V32 = hn::Vec<D32>;
using V64 = hn::Vec<D64>;

/// Arithmetic shift by a different amount in each lane.
HWY_INLINE V64 shift_right(V64 v, V64 amount) {
#if HWY_TARGET <= HWY_AVX3
  return hn::Shr(v, amount);
#else
  // Only unsigned shifts exist on all targets, so the complement of negative values is shifted.
  const hn::RebindToUnsigned<D64> du;
  const V64 sign = hn::BroadcastSignBit(v);
  const auto shifted = hn::Shr(hn::BitCast(du, hn::Xor(v, sign)), hn::BitCast(du, amount));
  return hn::Xor(hn::BitCast(D64(), shifted), sign);
#endif
}

/// Pointers to the constants of channels, copied to locals: a stored byte may alias anything that is not local to the
/// loop.
struct Channels {
  const std::int32_t *bias, *scale, *word_shift;
  const std::int64_t *shift, *round, *round_negative;

  explicit Channels(const OutputLanes::Constants& k)
      : bias(k.bias.data()),
        scale(k.scale.data()),
        word_shift(k.word_shift.data()),
        shift(k.shift.data()),
        round(k.round.data()),
        round_negative(k.round_negative.data()) {}
};

/// Half of the channels of a vector: products with their scale, rounded. `sign` has the signs of the values.
template <bool kBySign>
HWY_INLINE V64 rounded(V64 product, V64 sign, const Channels& k, std::ptrdiff_t at) {
  const D64 d64;
  auto round = hn::LoadU(d64, k.round + at);
  if constexpr (kBySign) round = hn::IfNegativeThenElse(sign, hn::LoadU(d64, k.round_negative + at), round);
  return hn::Add(product, round);
}

template <bool kBySign, bool kHighWords, class E>
HWY_INLINE void store_lanes(const OutputLanes::Constants& constants, const std::int32_t* HWY_RESTRICT accumulators,
                            int pixels, std::ptrdiff_t stride, E* HWY_RESTRICT out) {
  const D32 d32;
  const D64 d64;
  const hn::Rebind<E, D32> d_out;
  constexpr int lanes = static_cast<int>(hn::MaxLanes(d32));
  const Channels k(constants);
  const int channels = constants.channels;
  const V32 zero_point = hn::Set(d32, constants.zero_point);
  const V64 least = hn::Set(d64, constants.least), most = hn::Set(d64, constants.most);
  const V32 least_word = hn::Set(d32, static_cast<std::int32_t>(constants.least));
  const V32 most_word = hn::Set(d32, static_cast<std::int32_t>(constants.most));
  const auto shifted = [&](V64 sum, std::ptrdiff_t at) HWY_ATTR {
    return hn::Min(hn::Max(shift_right(sum, hn::LoadU(d64, k.shift + at)), least), most);
  };
  // `at`: index of the 64-bit values of a vector's even channels, which precede those of all odd channels of the block.
  const auto store_vector = [&](const std::int32_t* sums, int c, std::ptrdiff_t at, E* target) HWY_ATTR {
    const V32 v = hn::Add(hn::LoadU(d32, sums + c), hn::LoadU(d32, k.bias + c));
    const V32 scale = hn::LoadU(d32, k.scale + c);
    const V64 v64 = hn::BitCast(d64, v);
    const V64 odd_v = hn::ShiftRight<32>(v64);
    const V64 odd_scale = hn::ShiftRight<32>(hn::BitCast(d64, scale));
    const std::ptrdiff_t odd_at = at + kGemmChannels / 2;
    const V64 even = rounded<kBySign>(hn::MulEven(v, scale), hn::ShiftLeft<32>(v64), k, at);
    const V64 odd =
        rounded<kBySign>(hn::MulEven(hn::BitCast(d32, odd_v), hn::BitCast(d32, odd_scale)), odd_v, k, odd_at);
    V32 result;
    if constexpr (kHighWords) {
      const V32 words = hn::OddEven(hn::BitCast(d32, odd), hn::BitCast(d32, hn::ShiftRight<32>(even)));
      result = hn::Min(hn::Max(hn::Shr(words, hn::LoadU(d32, k.word_shift + c)), least_word), most_word);
    } else {
      result =
          hn::OddEven(hn::BitCast(d32, hn::ShiftLeft<32>(shifted(odd, odd_at))), hn::BitCast(d32, shifted(even, at)));
    }
    result = hn::Add(result, zero_point);
    if constexpr (sizeof(E) == 4) hn::StoreU(result, d_out, target + c);
    else hn::StoreU(hn::DemoteTo(d_out, result), d_out, target + c);
  };
  for (int p = 0; p < pixels; ++p, accumulators += stride, out += channels)
    for (int block = 0; block < channels; block += kGemmChannels)
      for (int first = 0; first < kGemmChannels; first += lanes)
        store_vector(accumulators, block + first, block + first / 2, out);
}

template <class E>
bool store(const OutputLanes::Constants& k, const std::int32_t* accumulators, int pixels, std::ptrdiff_t stride,
           E* out) {
  if (k.by_sign && k.high_words) store_lanes<true, true>(k, accumulators, pixels, stride, out);
  else if (k.by_sign) store_lanes<true, false>(k, accumulators, pixels, stride, out);
  else if (k.high_words) store_lanes<false, true>(k, accumulators, pixels, stride, out);
  else store_lanes<false, false>(k, accumulators, pixels, stride, out);
  return true;
}

bool store_bytes(const OutputLanes::Constants& k, const std::int32_t* accumulators, int pixels, std::ptrdiff_t stride,
                 std::int8_t* out) {
  return store(k, accumulators, pixels, stride, out);
}
bool store_unsigned_bytes(const OutputLanes::Constants& k, const std::int32_t* accumulators, int pixels,
                          std::ptrdiff_t stride, std::uint8_t* out) {
  return store(k, accumulators, pixels, stride, out);
}
bool store_halves(const OutputLanes::Constants& k, const std::int32_t* accumulators, int pixels, std::ptrdiff_t stride,
                  std::int16_t* out) {
  return store(k, accumulators, pixels, stride, out);
}
bool store_unsigned_halves(const OutputLanes::Constants& k, const std::int32_t* accumulators, int pixels,
                           std::ptrdiff_t stride, std::uint16_t* out) {
  return store(k, accumulators, pixels, stride, out);
}
bool store_words(const OutputLanes::Constants& k, const std::int32_t* accumulators, int pixels, std::ptrdiff_t stride,
                 std::int32_t* out) {
  return store(k, accumulators, pixels, stride, out);
}

#endif

}  // namespace HWY_NAMESPACE
}  // namespace macaw::npu
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace macaw::npu {

HWY_EXPORT(store_bytes);
HWY_EXPORT(store_unsigned_bytes);
HWY_EXPORT(store_halves);
HWY_EXPORT(store_unsigned_halves);
HWY_EXPORT(store_words);

namespace {

std::size_t padded(std::size_t channels) { return (channels + kGemmChannels - 1) / kGemmChannels * kGemmChannels; }

/// Index of a channel's 64-bit values.
std::size_t place(std::size_t channel) {
  const std::size_t in_block = channel % kGemmChannels;
  return channel - in_block + in_block % 2 * (kGemmChannels / 2) + in_block / 2;
}

}  // namespace

std::optional<LaneActivation> LaneActivation::create(const FeatureMap& ofm, std::int64_t zero_point, IntRange bounds,
                                                     std::span<const std::uint8_t> entries) {
  const IntRange type = int_range(ofm.bits, ofm.is_signed);
  const auto stored = [&](std::int64_t v) { return v >= type.min && v <= type.max; };
  if (!stored(bounds.min) || !stored(bounds.max)) return std::nullopt;
  if (ofm.bits > 32 || (ofm.bits == 32 && !ofm.is_signed)) return std::nullopt;
  LaneActivation lanes{static_cast<std::int32_t>(zero_point), static_cast<std::int32_t>(bounds.min),
                       static_cast<std::int32_t>(bounds.max)};
  if (entries.empty()) return lanes;
  if (ofm.bits != 8) return std::nullopt;
  lanes.table.resize(256);
  for (std::size_t i = 0; i < lanes.table.size(); ++i)
    lanes.table[static_cast<std::uint8_t>(type.min + static_cast<std::int64_t>(i))] = entries[i];
  return lanes;
}

OutputLanes::OutputLanes(std::span<const LaneChannel> channels, const LaneActivation& activation, int bits,
                         bool is_signed)
    : bits_(bits), signed_(is_signed), table_(activation.table) {
  const std::size_t count = padded(channels.size());
  constants_.channels = static_cast<int>(channels.size());
  constants_.bias.resize(count);
  constants_.scale.resize(count);
  constants_.shift.resize(count);
  constants_.round.resize(count);
  constants_.round_negative.resize(count);
  constants_.word_shift.resize(count);
  constants_.zero_point = activation.zero_point;
  constants_.least = std::int64_t{activation.low} - activation.zero_point;
  constants_.most = std::int64_t{activation.high} - activation.zero_point;
  const auto is_word = [](std::int64_t bound) { return bound >= INT32_MIN && bound <= INT32_MAX; };
  constants_.high_words = is_word(constants_.least) && is_word(constants_.most) &&
                          std::ranges::all_of(channels, [](const LaneChannel& c) { return c.shift >= 32; });
  for (std::size_t c = 0; c < channels.size(); ++c) {
    const LaneChannel& channel = channels[c];
    constants_.bias[c] = channel.bias;
    constants_.scale[c] = channel.scale;
    constants_.shift[place(c)] = channel.shift;
    if (constants_.high_words) constants_.word_shift[c] = channel.shift - 32;
    constants_.round[place(c)] = channel.round;
    constants_.round_negative[place(c)] = channel.round_negative;
    constants_.by_sign = constants_.by_sign || channel.round != channel.round_negative;
  }
}

std::size_t OutputLanes::row_bytes(int pixels) const {
  return (static_cast<std::size_t>(pixels) * static_cast<std::size_t>(constants_.channels) + kGemmChannels) *
         static_cast<std::size_t>(bits_ / 8);
}

void OutputLanes::look_up(std::uint8_t* bytes, std::size_t count) const {
  if (table_.empty()) return;
  for (std::size_t i = 0; i < count; ++i) bytes[i] = table_[bytes[i]];
}

void OutputLanes::apply(const std::int32_t* accumulators, int pixels, std::ptrdiff_t stride, std::uint8_t* out) const {
  bool done = false;
  // Rows of elements are suitably aligned.
  auto* const halves = reinterpret_cast<std::int16_t*>(out);
  if (bits_ == 8)
    done = signed_ ? HWY_DYNAMIC_DISPATCH(store_bytes)(constants_, accumulators, pixels, stride,
                                                       reinterpret_cast<std::int8_t*>(out))
                   : HWY_DYNAMIC_DISPATCH(store_unsigned_bytes)(constants_, accumulators, pixels, stride, out);
  else if (bits_ == 16)
    done = signed_ ? HWY_DYNAMIC_DISPATCH(store_halves)(constants_, accumulators, pixels, stride, halves)
                   : HWY_DYNAMIC_DISPATCH(store_unsigned_halves)(constants_, accumulators, pixels, stride,
                                                                 reinterpret_cast<std::uint16_t*>(out));
  else
    done = HWY_DYNAMIC_DISPATCH(store_words)(constants_, accumulators, pixels, stride,
                                             reinterpret_cast<std::int32_t*>(out));
  if (!done) return apply_scalar(accumulators, pixels, stride, out);
  look_up(out, static_cast<std::size_t>(pixels) * static_cast<std::size_t>(constants_.channels));
}

void OutputLanes::apply_scalar(const std::int32_t* accumulators, int pixels, std::ptrdiff_t stride,
                               std::uint8_t* out) const {
  const auto channels = static_cast<std::size_t>(constants_.channels);
  const auto size = static_cast<std::size_t>(bits_ / 8);
  std::uint8_t* next = out;
  for (int p = 0; p < pixels; ++p, accumulators += stride)
    for (std::size_t c = 0; c < channels; ++c, next += size) {
      const auto v = static_cast<std::int32_t>(static_cast<std::uint32_t>(accumulators[c]) +
                                               static_cast<std::uint32_t>(constants_.bias[c]));
      const std::int64_t round = v < 0 ? constants_.round_negative[place(c)] : constants_.round[place(c)];
      const std::int64_t scaled = (std::int64_t{v} * constants_.scale[c] + round) >> constants_.shift[place(c)];
      const auto value = static_cast<std::uint32_t>(std::min(std::max(scaled, constants_.least), constants_.most)) +
                         static_cast<std::uint32_t>(constants_.zero_point);
      std::memcpy(next, &value, size);  // little-endian
    }
  look_up(out, static_cast<std::size_t>(pixels) * channels);
}

}  // namespace macaw::npu
#endif
