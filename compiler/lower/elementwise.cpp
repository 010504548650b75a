#include "compiler/lower/elementwise.hpp"

namespace macaw::npu {
namespace {

/// Modes whose result U85 scales at any width of the operands: not shifts, divisions and 32-bit products
/// (hapv3/neural-compiler, ethosu/regor/architecture/ethosu85/ethos_u85_constraints.cpp, SupportedOFMQuant).
bool scales_result(ElementwiseMode mode) {
  switch (mode) {
    case ElementwiseMode::kAdd:
    case ElementwiseMode::kSub:
    case ElementwiseMode::kMin:
    case ElementwiseMode::kMax:
    case ElementwiseMode::kAbs:
    case ElementwiseMode::kClz: return true;
    default: return false;
  }
}

/// A RESCALE by one scale that alone follows the operation on INT32 and that the operation can do.
bool fuses_rescale(const Lowering& lowering, ElementwiseMode mode) {
  const auto result = lowering.current().outputs[0];
  if (!lowering.u85() || !scales_result(mode) || lowering.dtype(result) != DType::kINT32) return false;
  const auto next = lowering.follower(result, tosa::Op::kRESCALE);
  if (!next) return false;
  const auto rescale = rescale_arguments(lowering.graph, *next);
  return rescale && rescale->multiplier.size() == 1 && rescale->input_zp == 0 && !rescale->input_unsigned;
}

/// Where the result of the current operator goes, with what follows it done by the same operation.
struct Target {
  StorageView out;
  Output how;
};
Result<Target> target(Lowering& lowering, ElementwiseMode mode, const Output& how) {
  if (!fuses_rescale(lowering, mode)) {
    MACAW_ASSIGN(const auto out, lowering.output());
    return Target{out, how};
  }
  MACAW_ASSIGN(const auto tail, lowering.tail(lowering.current().outputs[0], true));
  MACAW_ASSIGN(const auto out, lowering.view(tail.value));
  return Target{out.as(!tail.rescale->output_unsigned, tail.rescale->output_zp), tail.output};
}

Result<void> lower_unary(Lowering& lowering, ElementwiseMode mode) {
  MACAW_ASSIGN(const auto in, lowering.input(0));
  MACAW_ASSIGN(const auto to, target(lowering, mode, {}));
  return lowering.unary(mode, to.out, in, to.how);
}

}  // namespace

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
  MACAW_ASSIGN(const auto a, lowering.input(0));
  MACAW_ASSIGN(const auto b, lowering.input(1));
  MACAW_ASSIGN(const auto to, target(lowering, mode, how));
  return lowering.elementwise(mode, to.out, a, b, to.how);
}

Result<void> lower_sub(Lowering& lowering) { return lower_binary(lowering, ElementwiseMode::kSub); }
Result<void> lower_maximum(Lowering& lowering) { return lower_binary(lowering, ElementwiseMode::kMax); }
Result<void> lower_minimum(Lowering& lowering) { return lower_binary(lowering, ElementwiseMode::kMin); }

Result<void> lower_intdiv(Lowering& lowering) {
  if (!lowering.u85()) return lowering.unsupported("U55 and U65 have no division");
  return lower_binary(lowering, ElementwiseMode::kDiv);
}

Result<void> lower_abs(Lowering& lowering) { return lower_unary(lowering, ElementwiseMode::kAbs); }
Result<void> lower_clz(Lowering& lowering) { return lower_unary(lowering, ElementwiseMode::kClz); }

Result<void> lower_negate(Lowering& lowering) {
  MACAW_ASSIGN(const auto x, unary(lowering));
  MACAW_ASSIGN(const auto input_zp, lowering.graph.integer(lowering.op, 1));
  MACAW_ASSIGN(const auto output_zp, lowering.graph.integer(lowering.op, 2));
  return lowering.elementwise(ElementwiseMode::kSub, x.out.as(true, static_cast<std::int32_t>(output_zp)),
                              lowering.scalar(0, x.in), x.in.as(true, static_cast<std::int32_t>(input_zp)));
}

}  // namespace macaw::npu
