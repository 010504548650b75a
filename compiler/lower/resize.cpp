#include "compiler/lower/resize.hpp"

#include <algorithm>

namespace macaw::npu {
namespace {

struct Sample {
  std::int64_t low = 0, high = 0, fraction = 0;
};

Sample sample(const ResizeAxis& a, std::int64_t o) {
  const auto position = o * a.d + a.offset;
  const auto floor = (position >= 0 ? position : position - a.n + 1) / a.n;
  return {std::clamp<std::int64_t>(floor, 0, a.in - 1), std::clamp<std::int64_t>(floor + 1, 0, a.in - 1),
          position - floor * a.n};
}

/// Copies columns, then rows, each from the nearest input.
Result<void> nearest(Lowering& lowering, const StorageView& out, const StorageView& in, const ResizeAxis& y,
                     const ResizeAxis& x) {
  const auto source = [](const ResizeAxis& a, std::int64_t o) {
    const auto s = sample(a, o);
    return 2 * s.fraction >= a.n ? s.high : s.low;
  };
  const auto columns = lowering.temporary({in.extents[0], y.in, x.out, in.extents[3]}, in.bits);
  for (std::int64_t o = 0; o < x.out; ++o)
    MACAW_CHECK(lowering.copy(columns.part(2, o, 1), in.part(2, source(x, o), 1)));
  for (std::int64_t o = 0; o < y.out; ++o)
    MACAW_CHECK(lowering.copy(out.part(1, o, 1), columns.part(1, source(y, o), 1)));
  return {};
}

/// One axis of a bilinear resize to 32 bits: every output is a sum of two inputs multiplied by integers.
Result<void> interpolate(Lowering& lowering, std::size_t axis, const StorageView& out, const StorageView& in,
                         const ResizeAxis& a) {
  using enum ElementwiseMode;
  Shape slice = out.extents;
  slice[axis] = 1;
  const auto low = lowering.temporary(slice, 32), high = lowering.temporary(slice, 32);
  for (std::int64_t o = 0; o < a.out; ++o) {
    const auto s = sample(a, o);
    const auto target = out.part(axis, o, 1), first = in.part(axis, s.low, 1);
    if (s.fraction == 0) {
      MACAW_CHECK(lowering.elementwise(kMul, target, first, lowering.scalar(a.n, first)));
      continue;
    }
    const auto second = in.part(axis, s.high, 1);
    MACAW_CHECK(lowering.elementwise(kMul, low, first, lowering.scalar(a.n - s.fraction, first)));
    MACAW_CHECK(lowering.elementwise(kMul, high, second, lowering.scalar(s.fraction, second)));
    MACAW_CHECK(lowering.elementwise(kAdd, target, low, high));
  }
  return {};
}

Result<void> bilinear(Lowering& lowering, const StorageView& out, const StorageView& in, const ResizeAxis& y,
                      const ResizeAxis& x) {
  if (out.bits != 32)
    return lowering.unsupported("a bilinear RESIZE of INT16 outside the registers of U85 or for U55 and U65");
  const auto wide = lowering.temporary(in.extents, 32);
  const auto columns = lowering.temporary({in.extents[0], y.in, x.out, in.extents[3]}, 32);
  MACAW_CHECK(lowering.convert(wide, in));
  MACAW_CHECK(interpolate(lowering, 2, columns, wide, x));
  return interpolate(lowering, 1, out, columns, y);
}

}  // namespace

Result<Resize> resize(Lowering& lowering) {
  MACAW_ASSIGN(const auto in, lowering.input(0));
  MACAW_ASSIGN(const auto out, lowering.output());
  MACAW_ASSIGN(const auto scale, lowering.graph.integers(lowering.op, 1));
  MACAW_ASSIGN(const auto offset, lowering.graph.integers(lowering.op, 2));
  const bool is_bilinear =
      lowering.current().get_int(tosa::Attr::k_mode) == static_cast<std::int64_t>(tosa::ResizeMode::kBilinear);
  return Resize{out,
                in,
                {scale[0], scale[1], offset[0], in.extents[1], out.extents[1]},
                {scale[2], scale[3], offset[1], in.extents[2], out.extents[2]},
                is_bilinear};
}

Result<void> resize_by_parts(Lowering& lowering, const Resize& r) {
  return (r.bilinear ? bilinear : nearest)(lowering, r.out, r.in, r.y, r.x);
}

}  // namespace macaw::npu
