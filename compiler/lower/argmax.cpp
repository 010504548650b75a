#include "compiler/lower/reduction.hpp"

#include <algorithm>

namespace macaw::npu {
namespace {

/// The unit gives the index above 16 bits of value.
Result<void> argmax_u85(Lowering& lowering, const StorageView& out, const StorageView& in) {
  constexpr std::int64_t kMaxAxis = 32768, kMaxExtent = 65536;
  if (in.extents[1] > kMaxAxis || in.extents[2] > kMaxExtent)
    return lowering.unsupported("the axis is longer than 32768, or the axes after it than 65536");
  auto proto = lowering.block(OpKind::kPool);
  proto.pool = PoolMode::kArgMaxX;
  proto.kernel.width = static_cast<int>(in.extents[1]);
  Output how;
  how.scale = {.scale = 1, .shift = 16, .rounding = Rounding::kTruncateToLower, .dbl = 0};
  lowering.set_output(proto, out, how);
  for (std::int64_t y = 0; y < in.extents[0]; y += kMaxExtent) {
    const auto rows = std::min(kMaxExtent, in.extents[0] - y);
    MACAW_CHECK(lowering.add(proto, out.part(0, y, rows), in.part(0, y, rows), nullptr));
  }
  return {};
}

/// The maximum of value * 2^14 + (2^13 - 1 - index), in which the first of equal values is the largest.
Result<void> argmax_u65(Lowering& lowering, const StorageView& out, const StorageView& in) {
  using enum ElementwiseMode;
  constexpr std::int64_t kScale = 1 << 14, kLast = (1 << 13) - 1, kShift = 32 - 14;
  const auto extent = in.extents[1];
  if (extent > kLast + 1) return lowering.unsupported("the axis is longer than 8192");
  std::vector<std::int64_t> descending;
  for (std::int64_t i = 0; i < extent; ++i) descending.push_back(kLast - i);
  const auto scaled = lowering.temporary(in.extents, 32), keys = lowering.temporary(in.extents, 32);
  Output how;
  how.scale = {.scale = kScale, .shift = 0, .rounding = Rounding::kNatural, .dbl = 0};
  MACAW_CHECK(lowering.convert(scaled, in, how));
  MACAW_CHECK(lowering.elementwise(kAdd, keys, scaled, lowering.constants(descending, {1, extent, 1}, 32)));
  const auto best = lowering.temporary(out.extents, 32), high = lowering.temporary(out.extents, 32),
             low = lowering.temporary(out.extents, 32);
  MACAW_CHECK(reduce_extreme(lowering, true, best, keys));
  // The value leaves at the top; the highest of the 14 bits is 0, so that the rest is not negative.
  const auto shift = lowering.scalar(kShift, best);
  MACAW_CHECK(lowering.elementwise(kShl, high, best, shift));
  MACAW_CHECK(lowering.elementwise(kShr, low, high, shift));
  return lowering.elementwise(kSub, out, lowering.scalar(kLast, best), low);
}

}  // namespace

Result<void> lower_argmax(Lowering& lowering) {
  MACAW_ASSIGN(auto in, lowering.input(0));
  MACAW_ASSIGN(auto out, lowering.output());
  if (in.bits > 16 || out.bits != 32)
    return lowering.unsupported("ARGMAX of more than 16 bits, or to another type than INT32");
  in = around_axis(in, static_cast<std::size_t>(lowering.current().get_int(tosa::Attr::k_axis)));
  out = out.reshaped({in.extents[0], 1, in.extents[2]});
  return (lowering.u85() ? argmax_u85 : argmax_u65)(lowering, out, in);
}

}  // namespace macaw::npu
