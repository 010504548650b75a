#include "compiler/lower/elementwise.hpp"
#include "compiler/generation.hpp"

// Elementwise operators that the units support. Comparisons return -1 for true; BOOL elements are bytes of 0 and 1.
namespace macaw::npu::compiler::u85 {
namespace {

using enum ElementwiseMode;

/// 1 where the comparison is true.
Result<void> compare(Lowering& lowering, ElementwiseMode mode, const StorageView& out, const StorageView& a,
                     const StorageView& b) {
  const auto mask = lowering.temporary(out.extents, 8);
  MACAW_CHECK(lowering.elementwise(mode, mask, a, b));
  return lowering.elementwise(kAnd, out, mask, lowering.scalar(1, mask));
}

Result<void> lower_comparison(Lowering& lowering, ElementwiseMode mode) {
  MACAW_ASSIGN(const auto x, binary(lowering));
  return compare(lowering, mode, x.out, x.a, x.b);
}

Result<void> lower_wrapping(Lowering& lowering, ElementwiseMode mode) {
  Output how;
  how.wrap = true;
  return lower_binary(lowering, mode, how);
}

/// Selects with a mask of all ones where the condition is true.
Result<void> select(Lowering& lowering, const StorageView& out, const StorageView& condition, const StorageView& a,
                    const StorageView& b) {
  const auto mask = lowering.temporary(condition.extents, out.bits);
  MACAW_CHECK(lowering.elementwise(kSub, mask, lowering.scalar(0, condition), condition));
  const auto first = lowering.temporary(out.extents, out.bits), second = lowering.temporary(out.extents, out.bits);
  MACAW_CHECK(lowering.elementwise(kAnd, first, a, mask));
  MACAW_CHECK(lowering.elementwise(kAndNot, second, b, mask));
  return lowering.elementwise(kOr, out, first, second);
}

}  // namespace

Result<void> lower_mul(Lowering& lowering) { return lower_product(lowering); }
Result<void> lower_intdiv(Lowering& lowering) { return lower_binary(lowering, kDiv); }

Result<void> lower_bitwise_and(Lowering& lowering) { return lower_binary(lowering, kAnd); }
Result<void> lower_bitwise_or(Lowering& lowering) { return lower_binary(lowering, kOr); }
Result<void> lower_bitwise_xor(Lowering& lowering) { return lower_binary(lowering, kXor); }
Result<void> lower_bitwise_not(Lowering& lowering) {
  MACAW_ASSIGN(const auto x, unary(lowering));
  return lowering.unary(kNot, x.out, x.in);
}

Result<void> lower_logical_and(Lowering& lowering) { return lower_binary(lowering, kAnd); }
Result<void> lower_logical_or(Lowering& lowering) { return lower_binary(lowering, kOr); }
Result<void> lower_logical_xor(Lowering& lowering) { return lower_binary(lowering, kXor); }
Result<void> lower_logical_not(Lowering& lowering) {
  MACAW_ASSIGN(const auto x, unary(lowering));
  return lowering.elementwise(kXor, x.out, x.in, lowering.scalar(1, x.in));
}

Result<void> lower_logical_left_shift(Lowering& lowering) { return lower_wrapping(lowering, kShl); }
Result<void> lower_logical_right_shift(Lowering& lowering) { return lower_wrapping(lowering, kLsr); }
Result<void> lower_arithmetic_right_shift(Lowering& lowering) {
  Output how;
  if (lowering.current().get_int(tosa::Attr::k_round) == 0) how.scale.rounding = Rounding::kTruncateToLower;
  return lower_binary(lowering, kShr, how);
}

Result<void> lower_equal(Lowering& lowering) { return lower_comparison(lowering, kCmpEq); }
Result<void> lower_greater(Lowering& lowering) { return lower_comparison(lowering, kCmpGt); }
Result<void> lower_greater_equal(Lowering& lowering) { return lower_comparison(lowering, kCmpGe); }

Result<void> lower_cast(Lowering& lowering) {
  Unary x;
  MACAW_ASSIGN(x.in, lowering.input(0));
  MACAW_ASSIGN(x.out, lowering.output());
  if (x.in.bits > 32 || x.out.bits > 32) return lowering.unsupported("elements of more than 32 bits");
  if (lowering.dtype(lowering.current().outputs[0]) != DType::kBOOL) return lower_to_integer(lowering, x);
  return compare(lowering, kCmpNe, x.out, x.in, lowering.scalar(0, x.in));
}

Result<void> lower_select(Lowering& lowering) {
  MACAW_ASSIGN(const auto x, selection(lowering));
  return select(lowering, x.out, x.condition, x.a, x.b);
}

}  // namespace macaw::npu::compiler::u85
