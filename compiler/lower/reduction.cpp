#include "compiler/lower/reduction.hpp"
#include "compiler/generation.hpp"

#include <algorithm>

namespace macaw::npu {
namespace {

constexpr std::int64_t kLongestPool = 256;  // longest window that Vela maps to a pool (SUPPORTED_OPS.md)

/// Folds the axis in halves until one is left.
Result<void> fold(Lowering& lowering, ElementwiseMode mode, const StorageView& out, StorageView in) {
  auto count = in.extents[1];
  if (count == 1) return lowering.copy(out, in);
  StorageView buffer;
  while (count > 1) {
    const auto half = count / 2, rest = count - half;
    // The last `half` elements are combined with the first ones; an odd one in the middle remains.
    if (rest == 1) return lowering.elementwise(mode, out, in.part(1, 0, half), in.part(1, rest, half));
    if (buffer.storage < 0) {
      buffer = lowering.temporary({in.extents[0], rest, in.extents[2]}, in.bits).as(in.is_signed);
      if (rest > half) MACAW_CHECK(lowering.copy(buffer.part(1, half, 1), in.part(1, half, 1)));
    }
    MACAW_CHECK(lowering.elementwise(mode, buffer.part(1, 0, half), in.part(1, 0, half), in.part(1, rest, half)));
    in = buffer;
    count = rest;
  }
  return {};
}

struct ReductionOperands {
  StorageView in, out;
  std::size_t axis = 0;
};
Result<ReductionOperands> operands(Lowering& lowering) {
  ReductionOperands o;
  MACAW_ASSIGN(o.in, lowering.input(0));
  MACAW_ASSIGN(o.out, lowering.output());
  o.axis = static_cast<std::size_t>(lowering.current().get_int(tosa::Attr::k_axis));
  o.in = around_axis(o.in, o.axis);
  o.out = around_axis(o.out, o.axis);
  return o;
}

}  // namespace

StorageView around_axis(const StorageView& dense, std::size_t axis) {
  std::int64_t outer = 1, inner = 1;
  for (std::size_t i = 0; i < dense.rank(); ++i)
    if (i != axis) (i < axis ? outer : inner) *= dense.extents[i];
  return dense.reshaped({outer, axis < dense.rank() ? dense.extents[axis] : 1, inner});
}

Result<void> sum_channels(Lowering& lowering, const StorageView& out, const StorageView& in, const Output& how) {
  if (in.extents[2] > kMaxExtent) return lowering.unsupported("a sum of more than 65536 elements");
  auto proto = lowering.block(OpKind::kPool);
  proto.pool = PoolMode::kReduceSum;
  lowering.set_output(proto, out, how);
  for (std::int64_t y = 0; y < in.extents[0]; y += kMaxExtent) {
    const auto rows = std::min(kMaxExtent, in.extents[0] - y);
    for (std::int64_t x = 0; x < in.extents[1]; x += kMaxExtent) {
      const auto columns = std::min(kMaxExtent, in.extents[1] - x);
      MACAW_CHECK(lowering.add(proto, out.part(0, y, rows).part(1, x, columns), in.part(0, y, rows).part(1, x, columns),
                               nullptr, nullptr, &how));
    }
  }
  return {};
}

Result<void> reduce_extreme(Lowering& lowering, bool maximum, const StorageView& out, const StorageView& in) {
  const auto extent = in.extents[1];
  const bool pool = extent <= kLongestPool && in.extents[0] <= kMaxExtent && in.extents[2] <= kMaxExtent &&
                    (maximum || lowering.generation.units.pools_minimum) &&
                    in.bits <= lowering.generation.units.pool_bits;
  if (!pool) return fold(lowering, maximum ? ElementwiseMode::kMax : ElementwiseMode::kMin, out, in);
  auto proto = lowering.block(OpKind::kPool);
  proto.pool = maximum ? PoolMode::kMax : PoolMode::kMin;
  proto.kernel.width = static_cast<int>(extent);
  lowering.set_output(proto, out, {});
  return lowering.add(std::move(proto), out, in, nullptr);
}

Result<Argmax> argmax(Lowering& lowering) {
  MACAW_ASSIGN(auto in, lowering.input(0));
  MACAW_ASSIGN(auto out, lowering.output());
  if (in.bits > 16 || out.bits != 32)
    return lowering.unsupported("ARGMAX of more than 16 bits, or to another type than INT32");
  in = around_axis(in, static_cast<std::size_t>(lowering.current().get_int(tosa::Attr::k_axis)));
  return Argmax{out.reshaped({in.extents[0], 1, in.extents[2]}), in};
}

Result<void> lower_reduce_max(Lowering& lowering) {
  MACAW_ASSIGN(const auto o, operands(lowering));
  return reduce_extreme(lowering, true, o.out, o.in);
}

Result<void> lower_reduce_min(Lowering& lowering) {
  MACAW_ASSIGN(const auto o, operands(lowering));
  return reduce_extreme(lowering, false, o.out, o.in);
}

Result<void> lower_reduce_sum(Lowering& lowering) {
  MACAW_ASSIGN(const auto o, operands(lowering));
  const auto outer = o.in.extents[0], extent = o.in.extents[1], inner = o.in.extents[2];
  if (inner == 1) return sum_channels(lowering, o.out.reshaped({1, outer, 1}), o.in.reshaped({1, outer, extent}));
  const auto last = lowering.temporary({outer, inner, extent}, o.in.bits);
  MACAW_CHECK(lowering.copy(last, o.in.permuted({0, 2, 1})));
  return sum_channels(lowering, o.out.reshaped({outer, inner, 1}), last);
}

}  // namespace macaw::npu
