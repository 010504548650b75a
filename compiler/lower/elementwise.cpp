#include "compiler/lower/elementwise.hpp"

namespace macaw::npu {

Result<Binary> binary(Lowering& lowering) {
  Binary x;
  MACAW_ASSIGN(x.out, lowering.output());
  MACAW_ASSIGN(x.a, lowering.input(0));
  MACAW_ASSIGN(x.b, lowering.input(1));
  return x;
}

Result<Unary> unary(Lowering& lowering) {
  Unary x;
  MACAW_ASSIGN(x.out, lowering.output());
  MACAW_ASSIGN(x.in, lowering.input(0));
  return x;
}

Result<void> lower_binary(Lowering& lowering, ElementwiseMode mode, const Output& how) {
  MACAW_ASSIGN(const auto x, binary(lowering));
  return lowering.elementwise(mode, x.out, x.a, x.b, how);
}

Result<void> lower_sub(Lowering& lowering) { return lower_binary(lowering, ElementwiseMode::kSub); }
Result<void> lower_maximum(Lowering& lowering) { return lower_binary(lowering, ElementwiseMode::kMax); }
Result<void> lower_minimum(Lowering& lowering) { return lower_binary(lowering, ElementwiseMode::kMin); }

Result<void> lower_intdiv(Lowering& lowering) {
  if (!lowering.u85()) return lowering.unsupported("U55 and U65 have no division");
  return lower_binary(lowering, ElementwiseMode::kDiv);
}

Result<void> lower_abs(Lowering& lowering) {
  MACAW_ASSIGN(const auto x, unary(lowering));
  return lowering.unary(ElementwiseMode::kAbs, x.out, x.in);
}

Result<void> lower_clz(Lowering& lowering) {
  MACAW_ASSIGN(const auto x, unary(lowering));
  return lowering.unary(ElementwiseMode::kClz, x.out, x.in);
}

Result<void> lower_negate(Lowering& lowering) {
  MACAW_ASSIGN(const auto x, unary(lowering));
  MACAW_ASSIGN(const auto input_zp, lowering.graph.integer(lowering.op, 1));
  MACAW_ASSIGN(const auto output_zp, lowering.graph.integer(lowering.op, 2));
  return lowering.elementwise(ElementwiseMode::kSub, x.out.as(true, static_cast<std::int32_t>(output_zp)),
                              lowering.scalar(0, x.in), x.in.as(true, static_cast<std::int32_t>(input_zp)));
}

}  // namespace macaw::npu
