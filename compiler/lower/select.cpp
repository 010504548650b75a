#include "compiler/lower/elementwise.hpp"

namespace macaw::npu {
namespace {

using enum ElementwiseMode;

/// A mask of all ones where the condition holds.
Result<void> select_u85(Lowering& lowering, const StorageView& out, const StorageView& condition, const StorageView& a,
                        const StorageView& b) {
  const auto mask = lowering.temporary(condition.extents, out.bits);
  MACAW_CHECK(lowering.elementwise(kSub, mask, lowering.scalar(0, condition), condition));
  const auto first = lowering.temporary(out.extents, out.bits), second = lowering.temporary(out.extents, out.bits);
  MACAW_CHECK(lowering.elementwise(kAnd, first, a, mask));
  MACAW_CHECK(lowering.elementwise(kAndNot, second, b, mask));
  return lowering.elementwise(kOr, out, first, second);
}

/// condition * a + (1 - condition) * b
Result<void> select_u65(Lowering& lowering, const StorageView& out, const StorageView& condition, const StorageView& a,
                        const StorageView& b) {
  StorageView one = condition;
  if (out.bits > 8) {
    one = lowering.temporary(condition.extents, out.bits);
    MACAW_CHECK(lowering.convert(one, condition));
  }
  one = one.as(true);
  const auto other = lowering.temporary(condition.extents, out.bits);
  MACAW_CHECK(lowering.elementwise(kSub, other, lowering.scalar(1, one), one));
  const auto first = lowering.temporary(out.extents, out.bits), second = lowering.temporary(out.extents, out.bits);
  MACAW_CHECK(lowering.elementwise(kMul, first, a, one));
  MACAW_CHECK(lowering.elementwise(kMul, second, b, other));
  return lowering.elementwise(kAdd, out, first, second);
}

}  // namespace

Result<void> lower_select(Lowering& lowering) {
  MACAW_ASSIGN(auto out, lowering.output());
  MACAW_ASSIGN(const auto condition, lowering.input(0));
  MACAW_ASSIGN(auto a, lowering.input(1));
  MACAW_ASSIGN(auto b, lowering.input(2));
  if (out.bits > 32) return lowering.unsupported("elements of more than 32 bits");
  return (lowering.u85() ? select_u85 : select_u65)(lowering, out.as(true), condition, a.as(true), b.as(true));
}

}  // namespace macaw::npu
