#include "compiler/lower/elementwise.hpp"

// Bitwise and logical operators. BOOL elements are bytes of 0 and 1.
namespace macaw::npu {
namespace {

Result<void> bitwise(Lowering& lowering, ElementwiseMode mode) {
  if (!lowering.u85()) return lowering.unsupported("U55 and U65 have no bitwise operations");
  return lower_binary(lowering, mode);
}

Result<void> logical(Lowering& lowering, ElementwiseMode u85, ElementwiseMode u65) {
  return lower_binary(lowering, lowering.u85() ? u85 : u65);
}

}  // namespace

Result<void> lower_bitwise_and(Lowering& lowering) { return bitwise(lowering, ElementwiseMode::kAnd); }
Result<void> lower_bitwise_or(Lowering& lowering) { return bitwise(lowering, ElementwiseMode::kOr); }
Result<void> lower_bitwise_xor(Lowering& lowering) { return bitwise(lowering, ElementwiseMode::kXor); }

Result<void> lower_bitwise_not(Lowering& lowering) {
  MACAW_ASSIGN(const auto x, unary(lowering));
  if (lowering.u85()) return lowering.unary(ElementwiseMode::kNot, x.out, x.in);
  return lowering.elementwise(ElementwiseMode::kSub, x.out, lowering.scalar(-1, x.in), x.in);
}

Result<void> lower_logical_and(Lowering& lowering) {
  return logical(lowering, ElementwiseMode::kAnd, ElementwiseMode::kMin);
}

Result<void> lower_logical_or(Lowering& lowering) {
  return logical(lowering, ElementwiseMode::kOr, ElementwiseMode::kMax);
}

Result<void> lower_logical_xor(Lowering& lowering) {
  if (lowering.u85()) return lower_binary(lowering, ElementwiseMode::kXor);
  MACAW_ASSIGN(const auto x, binary(lowering));
  const auto difference = lowering.temporary(x.out.extents, 8);
  MACAW_CHECK(lowering.elementwise(ElementwiseMode::kSub, difference, x.a, x.b));
  return lowering.unary(ElementwiseMode::kAbs, x.out, difference);
}

Result<void> lower_logical_not(Lowering& lowering) {
  MACAW_ASSIGN(const auto x, unary(lowering));
  if (lowering.u85()) return lowering.elementwise(ElementwiseMode::kXor, x.out, x.in, lowering.scalar(1, x.in));
  return lowering.elementwise(ElementwiseMode::kSub, x.out, lowering.scalar(1, x.in), x.in);
}

}  // namespace macaw::npu
