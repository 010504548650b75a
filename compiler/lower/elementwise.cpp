#include "compiler/lower/elementwise.hpp"
#include "compiler/generation.hpp"

namespace macaw::npu {
namespace {

/// Whether the only consumer of the INT32 result is a RESCALE by one scale that the operation can perform.
bool fuses_rescale(const Lowering& lowering, ElementwiseMode mode) {
  const auto result = lowering.current().outputs[0];
  if (!lowering.generation.fuses_rescale(mode) || lowering.dtype(result) != DType::kINT32) return false;
  const auto next = lowering.follower(result, tosa::Op::kRESCALE);
  if (!next) return false;
  const auto rescale = rescale_arguments(lowering.graph, *next);
  return rescale && rescale->multiplier.size() == 1 && rescale->input_zp == 0 && !rescale->input_unsigned;
}

/// Destination of the current operator's result, with the following operators that are fused into it.
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

Result<Selection> selection(Lowering& lowering) {
  Selection x;
  MACAW_ASSIGN(x.out, lowering.output());
  MACAW_ASSIGN(x.condition, lowering.input(0));
  MACAW_ASSIGN(x.a, lowering.input(1));
  MACAW_ASSIGN(x.b, lowering.input(2));
  if (x.out.bits > 32) return lowering.unsupported("elements of more than 32 bits");
  for (auto* view : {&x.out, &x.a, &x.b}) *view = view->as(true);
  return x;
}

Result<void> lower_binary(Lowering& lowering, ElementwiseMode mode, const Output& how) {
  MACAW_ASSIGN(const auto a, lowering.input(0));
  MACAW_ASSIGN(const auto b, lowering.input(1));
  MACAW_ASSIGN(const auto to, target(lowering, mode, how));
  return lowering.elementwise(mode, to.out, a, b, to.how);
}

// With 32-bit maps a multiplication has a rounding shift and no multiplier, like TOSA's.
Result<void> lower_product(Lowering& lowering) {
  MACAW_ASSIGN(const auto x, binary(lowering));
  MACAW_ASSIGN(const auto shift, lowering.graph.integer(lowering.op, 2));
  Output how;
  how.scale.shift = static_cast<int>(shift);
  return lowering.elementwise(ElementwiseMode::kMul, x.out, x.a, x.b, how);
}

Result<void> lower_sub(Lowering& lowering) { return lower_binary(lowering, ElementwiseMode::kSub); }
Result<void> lower_maximum(Lowering& lowering) { return lower_binary(lowering, ElementwiseMode::kMax); }
Result<void> lower_minimum(Lowering& lowering) { return lower_binary(lowering, ElementwiseMode::kMin); }

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
