#include "compiler/lower/elementwise.hpp"
#include "compiler/generation.hpp"

// Operators for which the units have no mode, composed of those that they have: a comparison clamps a difference, which
// saturates, to 0 and 1. BOOL elements are bytes of 0 and 1.
namespace macaw::npu::compiler::u55_u65 {
namespace {

using enum ElementwiseMode;

Result<void> no_bitwise(const Lowering& lowering) {
  return lowering.unsupported("U55 and U65 have no bitwise operations");
}

/// a - b + offset, limited.
Result<void> difference(Lowering& lowering, const StorageView& out, const StorageView& a, const StorageView& b,
                        std::int32_t offset, std::array<std::int64_t, 2> limits) {
  Output how;
  how.clamp = limits;
  return lowering.elementwise(kSub, out.as(limits[0] < 0, offset), a, b, how);
}

/// condition * a + (1 - condition) * b
Result<void> select(Lowering& lowering, const StorageView& out, const StorageView& condition, const StorageView& a,
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

Result<void> lower_intdiv(Lowering& lowering) { return lowering.unsupported("U55 and U65 have no division"); }

Result<void> lower_bitwise_and(Lowering& lowering) { return no_bitwise(lowering); }
Result<void> lower_bitwise_or(Lowering& lowering) { return no_bitwise(lowering); }
Result<void> lower_bitwise_xor(Lowering& lowering) { return no_bitwise(lowering); }
Result<void> lower_bitwise_not(Lowering& lowering) {
  MACAW_ASSIGN(const auto x, unary(lowering));
  return lowering.elementwise(kSub, x.out, lowering.scalar(-1, x.in), x.in);
}

Result<void> lower_logical_and(Lowering& lowering) { return lower_binary(lowering, kMin); }
Result<void> lower_logical_or(Lowering& lowering) { return lower_binary(lowering, kMax); }
Result<void> lower_logical_xor(Lowering& lowering) {
  MACAW_ASSIGN(const auto x, binary(lowering));
  const auto apart = lowering.temporary(x.out.extents, 8);
  MACAW_CHECK(lowering.elementwise(kSub, apart, x.a, x.b));
  return lowering.unary(kAbs, x.out, apart);
}
Result<void> lower_logical_not(Lowering& lowering) {
  MACAW_ASSIGN(const auto x, unary(lowering));
  return lowering.elementwise(kSub, x.out, lowering.scalar(1, x.in), x.in);
}

Result<void> lower_greater(Lowering& lowering) {
  MACAW_ASSIGN(const auto x, binary(lowering));
  return difference(lowering, x.out, x.a, x.b, 0, {0, 1});
}
Result<void> lower_greater_equal(Lowering& lowering) {
  MACAW_ASSIGN(const auto x, binary(lowering));
  return difference(lowering, x.out, x.a, x.b, 1, {0, 1});
}
Result<void> lower_equal(Lowering& lowering) {
  MACAW_ASSIGN(const auto x, binary(lowering));
  const auto sign = lowering.temporary(x.out.extents, 8), differs = lowering.temporary(x.out.extents, 8);
  MACAW_CHECK(difference(lowering, sign, x.a, x.b, 0, {-1, 1}));
  MACAW_CHECK(lowering.unary(kAbs, differs, sign));
  return lowering.elementwise(kSub, x.out, lowering.scalar(1, differs), differs);
}

Result<void> lower_cast(Lowering& lowering) {
  Unary x;
  MACAW_ASSIGN(x.in, lowering.input(0));
  MACAW_ASSIGN(x.out, lowering.output());
  if (x.in.bits > 32 || x.out.bits > 32) return lowering.unsupported("elements of more than 32 bits");
  if (lowering.dtype(lowering.current().outputs[0]) != DType::kBOOL) return lower_to_integer(lowering, x);
  Output how;
  how.clamp = {0, 1};
  return lowering.unary(kAbs, x.out, x.in, how);
}

Result<void> lower_select(Lowering& lowering) {
  MACAW_ASSIGN(const auto x, selection(lowering));
  return select(lowering, x.out, x.condition, x.a, x.b);
}

}  // namespace macaw::npu::compiler::u55_u65
