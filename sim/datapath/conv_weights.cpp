#include "sim/datapath/conv_weights.hpp"
#include "sim/datapath/bits.hpp"
#include "sim/datapath/feature_map.hpp"
#include "sim/datapath/input_map.hpp"

#include <algorithm>

namespace macaw::npu {
namespace {

/// Without dilation the taps of a kernel row are contiguous in the input, so that they form one run.
struct Runs {
  int count, taps_each;
  explicit Runs(const Kernel& k)
      : count(k.dilation_x == 1 ? k.taps_y() : k.taps_y() * k.taps_x()),
        taps_each(k.dilation_x == 1 ? k.taps_x() : 1) {}
};

template <class Values>
std::size_t bytes_of(const Values& values) {
  return values.size() * sizeof values[0];
}

struct Size {
  std::size_t operator()(const Uncleared<std::int16_t>& w) const { return bytes_of(w); }
  std::size_t operator()(const GemmWeights& w) const { return bytes_of(w.values); }
  std::size_t operator()(const ByteWeights& w) const { return bytes_of(w.values) + bytes_of(w.sums); }
  std::size_t operator()(const TapWeights& w) const { return bytes_of(w.values) + bytes_of(w.sums); }
};

}  // namespace

bool stays_bytes(const FeatureMap& ifm) {
  const IntRange range = int_range(8, ifm.is_signed);
  return ifm.bits == 8 && ifm.zero_point >= range.min && ifm.zero_point <= range.max;
}

std::uint8_t zero_byte(const FeatureMap& ifm) {
  return static_cast<std::uint8_t>(ifm.zero_point - int_range(8, ifm.is_signed).min);
}

ConvWeights pack_conv_weights(const BlockOperation& op, Uncleared<std::int16_t> ohwi, bool scalar) {
  if (scalar || !fits_int16(op.ifm)) return ohwi;
  const Kernel& k = op.kernel;
  if (op.kind == OpKind::kDepthwise) return pack_tap_weights(ohwi, op.ofm.c, k.taps_y() * k.taps_x());
  const Runs runs(k);
  const auto is_byte = [](std::int16_t w) { return w >= INT8_MIN && w <= INT8_MAX; };
  if (has_byte_product() && op.acc_format == AccFormat::kI32 && stays_bytes(op.ifm) &&
      std::ranges::all_of(ohwi, is_byte))
    return pack_byte_weights(ohwi, op.ofm.c, runs.count, runs.taps_each, op.ifm.c,
                             static_cast<int>(round_up(op.ifm.c, kByteChannels)));
  return pack_weights(ohwi, op.ofm.c, runs.count, runs.taps_each, op.ifm.c,
                      static_cast<int>(round_up(op.ifm.c, kPairChannels)));
}

std::size_t byte_size(const ConvWeights& weights) { return std::visit(Size(), weights); }

}  // namespace macaw::npu
