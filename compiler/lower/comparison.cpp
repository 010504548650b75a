#include "compiler/lower/elementwise.hpp"

// Comparisons of INT32. U85 gives -1 for true; U55 and U65 limit a difference, which saturates, to 0 and 1.
namespace macaw::npu {
namespace {

using enum ElementwiseMode;

Result<void> compare_u85(Lowering& lowering, ElementwiseMode mode) {
  MACAW_ASSIGN(const auto x, binary(lowering));
  const auto mask = lowering.temporary(x.out.extents, 8);
  MACAW_CHECK(lowering.elementwise(mode, mask, x.a, x.b));
  return lowering.elementwise(kAnd, x.out, mask, lowering.scalar(1, mask));
}

/// a - b + offset, limited.
Result<void> difference(Lowering& lowering, const StorageView& out, const StorageView& a, const StorageView& b,
                        std::int32_t offset, std::array<std::int64_t, 2> limits) {
  Output how;
  how.clamp = limits;
  return lowering.elementwise(kSub, out.as(limits[0] < 0, offset), a, b, how);
}

}  // namespace

Result<void> lower_greater(Lowering& lowering) {
  if (lowering.u85()) return compare_u85(lowering, kCmpGt);
  MACAW_ASSIGN(const auto x, binary(lowering));
  return difference(lowering, x.out, x.a, x.b, 0, {0, 1});
}

Result<void> lower_greater_equal(Lowering& lowering) {
  if (lowering.u85()) return compare_u85(lowering, kCmpGe);
  MACAW_ASSIGN(const auto x, binary(lowering));
  return difference(lowering, x.out, x.a, x.b, 1, {0, 1});
}

Result<void> lower_equal(Lowering& lowering) {
  if (lowering.u85()) return compare_u85(lowering, kCmpEq);
  MACAW_ASSIGN(const auto x, binary(lowering));
  const auto sign = lowering.temporary(x.out.extents, 8), differs = lowering.temporary(x.out.extents, 8);
  MACAW_CHECK(difference(lowering, sign, x.a, x.b, 0, {-1, 1}));
  MACAW_CHECK(lowering.unary(kAbs, differs, sign));
  return lowering.elementwise(kSub, x.out, lowering.scalar(1, differs), differs);
}

}  // namespace macaw::npu
