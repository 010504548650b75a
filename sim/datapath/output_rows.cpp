#include "sim/datapath/output_rows.hpp"

#include <bit>

namespace macaw::npu {

ChannelScaling::ChannelScaling(const Scaling& scaling, int channels, int accumulator_bits)
    : accumulator_bits_(accumulator_bits) {
  for (int c = 0; c < channels; ++c) add({0, scaling.scale, scaling.shift}, scaling.rounding, scaling.dbl);
}

ChannelScaling::ChannelScaling(std::span<const ChannelScale> entries, Rounding rounding, int accumulator_bits)
    : accumulator_bits_(accumulator_bits) {
  for (const auto& entry : entries) add(entry, rounding, 0);
}

void ChannelScaling::add(const ChannelScale& entry, Rounding rounding, int dbl) {
  channels_.push_back({entry.bias, entry.scale, rounding_term(false, entry.shift, rounding, dbl),
                       rounding_term(true, entry.shift, rounding, dbl), entry.shift});
  // A product below 2^62 plus a rounding term of at most 2^62 and 2^30 stays below 2^63.
  fits64_ =
      fits64_ && accumulator_bits_ - 1 + std::bit_width(entry.scale) <= 62 && rounding != Rounding::kTruncateToZero;
}

template <class Acc>
void ChannelScaling::apply(const Acc* accumulators, int pixels, std::ptrdiff_t stride, std::int64_t* out) const {
  const std::size_t count = channels_.size();
  for (int p = 0; p < pixels; ++p, accumulators += stride, out += count) {
    for (std::size_t c = 0; c < count; ++c) {
      const Channel& channel = channels_[c];
      const std::int64_t v = wrap(wrapping_add(accumulators[c], channel.bias), accumulator_bits_);
      const std::int64_t round = v < 0 ? channel.round_negative : channel.round;
      if (fits64_) {
        out[c] = (v * channel.scale + round) >> channel.shift;
      } else {
        constexpr Int128 limit = Int128{1} << 62;
        const Int128 result = (Int128{v} * channel.scale + round) >> channel.shift;
        out[c] = static_cast<std::int64_t>(result < -limit ? -limit : result > limit ? limit : result);
      }
    }
  }
}
template void ChannelScaling::apply<std::int32_t>(const std::int32_t*, int, std::ptrdiff_t, std::int64_t*) const;
template void ChannelScaling::apply<std::int64_t>(const std::int64_t*, int, std::ptrdiff_t, std::int64_t*) const;

}  // namespace macaw::npu
