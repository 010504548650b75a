#include "compiler/generation.hpp"
#include "compiler/lower/window.hpp"

#include <algorithm>
#include <bit>

namespace macaw::npu {
namespace {

// Pooling windows that Vela maps to the NPU (SUPPORTED_OPS.md): 256 x 256, averages that divide by the taps inside the
// map 8 x 8.
constexpr std::int64_t kMaxPool = 256, kMaxDividing = 8;

/// TOSA's reciprocal_scale: multiplier and shift that divide by `value`.
Scaling reciprocal(std::uint32_t value) {
  const int k = 32 - std::countl_zero(value - 1);
  const std::uint64_t numerator = ((std::uint64_t{1} << 30) + 1) << k;
  return {.scale = static_cast<std::uint32_t>(numerator / value),
          .shift = 30 + k,
          .rounding = Rounding::kNatural,
          .dbl = 0};
}

struct Pool {
  StorageView ifm, ofm;
  Tail tail;
  std::array<WindowAxis, 2> axes;
};

Result<Pool> pool(Lowering& lowering) {
  Pool p;
  MACAW_ASSIGN(p.ifm, lowering.input(0));
  if (p.ifm.bits > 16) return lowering.unsupported("the NPU pools 8- and 16-bit feature maps only");
  MACAW_ASSIGN(p.tail, lowering.tail(lowering.current().outputs[0], false));
  MACAW_ASSIGN(p.ofm, lowering.view(p.tail.value));
  const auto& taps = lowering.current().get_ints(tosa::Attr::k_kernel);
  if (taps[0] > kMaxPool || taps[1] > kMaxPool) return lowering.unsupported("the window exceeds 256 x 256");
  MACAW_ASSIGN(p.axes, window_axes(lowering, {taps[0], taps[1]}, {1, 1}, p.ifm.extents[1], p.ifm.extents[2]));
  return p;
}

/// Adds windows for the pieces of both axes. `cut`: the kernel is the part of the window inside the input.
Result<void> add_pieces(Lowering& lowering, const Pool& p, const BlockOperation& proto, const Output& how,
                        const std::vector<WindowPiece>& ys, const std::vector<WindowPiece>& xs, bool cut) {
  for (std::int64_t n = 0; n < p.ifm.extents[0]; ++n) {
    for (const auto& y : ys) {
      for (const auto& x : xs) {
        auto op = proto;
        const auto extent = [&](const WindowPiece& piece, const WindowAxis& axis) {
          return static_cast<int>(cut ? piece.in_count - (piece.out_count - 1) * piece.stride : axis.extent);
        };
        op.kernel.height = extent(y, p.axes[0]);
        op.kernel.width = extent(x, p.axes[1]);
        if (cut) op.ofm_scale = reciprocal(static_cast<std::uint32_t>(op.kernel.height * op.kernel.width));
        MACAW_CHECK(set_window(lowering, op.kernel, y, x));
        MACAW_CHECK(lowering.add(std::move(op), output_part(batch_item(p.ofm, n), y, x),
                                 input_part(batch_item(p.ifm, n), y, x), nullptr, nullptr, &how));
      }
    }
  }
  return {};
}

}  // namespace

Result<void> lower_avg_pool2d(Lowering& lowering) {
  MACAW_ASSIGN(auto p, pool(lowering));
  MACAW_ASSIGN(const auto input_zp, lowering.graph.integer(lowering.op, 1));
  MACAW_ASSIGN(const auto output_zp, lowering.graph.integer(lowering.op, 2));
  p.ifm = p.ifm.as(true, static_cast<std::int32_t>(input_zp));
  p.ofm = p.ofm.as(true, static_cast<std::int32_t>(output_zp));
  auto proto = lowering.block(OpKind::kPool);
  proto.pool = PoolMode::kAverage;
  lowering.set_output(proto, p.ofm, p.tail.output);
  // U85 always divides by the taps inside the map, U55 and U65 if there is padding: exactly as TOSA does. (Their
  // constants have one bit more than TOSA's, which makes no difference for sums of 16-bit values over 64 taps.)
  const auto small = [](const WindowAxis& a) { return a.extent <= kMaxDividing && a.stride <= 3; };
  const bool padded = std::ranges::any_of(p.axes, [](const auto& a) { return a.pad_before != 0 || a.pad_after != 0; });
  if ((padded || traits(lowering.family()).always_counts_taps) && std::ranges::all_of(p.axes, small))
    return add_pieces(lowering, p, proto, p.tail.output, window_pieces(p.axes[0]), window_pieces(p.axes[1]), false);
  // Otherwise the number of taps is constant within a piece.
  proto.pool = lowering.generation.units.sum;
  return add_pieces(lowering, p, proto, p.tail.output, unpadded_pieces(p.axes[0]), unpadded_pieces(p.axes[1]), true);
}

Result<void> lower_max_pool2d(Lowering& lowering) {
  MACAW_ASSIGN(const auto p, pool(lowering));
  auto proto = lowering.block(OpKind::kPool);
  proto.pool = PoolMode::kMax;
  lowering.set_output(proto, p.ofm, p.tail.output);
  return add_pieces(lowering, p, proto, p.tail.output, window_pieces(p.axes[0]), window_pieces(p.axes[1]), false);
}

}  // namespace macaw::npu
