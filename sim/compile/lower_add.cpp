#include "sim/compile/lower.hpp"

#include <algorithm>
#include <bit>
#include <utility>

// Quantised addition: RESCALE, RESCALE, ADD, RESCALE as one elementwise operation. The NPU scales its operands in one of
// two exact ways (functional document 5.4): both by 16-bit integers, or one by a rounded multiplier and the other by an
// integer, 2^19 unless OPB_SCALE gives another.
namespace macaw::npu {
namespace {

constexpr std::uint64_t kMaxFactor = 0x8000;
constexpr std::uint64_t kFixedFactor = std::uint64_t{1} << 19;  // of the unscaled 8-bit operand in 32-bit mode

/// The integer that a RESCALE multiplies by, if it is one.
std::optional<std::uint64_t> exact_factor(const RescaleArguments& r) {
  const std::uint64_t m = r.multiplier[0];
  if (r.shift[0] >= 32) return m == 0 ? std::optional<std::uint64_t>(0) : std::nullopt;
  const auto low = (std::uint64_t{1} << r.shift[0]) - 1;
  return m & low ? std::nullopt : std::optional(m >> r.shift[0]);
}

/// Sets the operand scaling of `op`; false if neither way is exact.
bool scale_operands(BlockOperation& op, const RescaleArguments& a, const RescaleArguments& b,
                    const RescaleArguments& out) {
  op.ofm_scale = {.scale = out.multiplier[0], .shift = out.shift[0], .rounding = out.hardware_rounding()};
  const auto factor_a = exact_factor(a), factor_b = exact_factor(b);
  if (factor_a && factor_b) {
    // Powers of two that both factors have move into the output shift, which must stay at least 1 to round alike. With
    // double rounding the place of the first rounding is tied to the shift.
    int common = out.doubles(0) ? 0 : std::min(std::countr_zero(*factor_a | *factor_b), out.shift[0] - 1);
    if (*factor_a == 0 && *factor_b == 0) common = 0;
    const auto ka = *factor_a >> common, kb = *factor_b >> common;
    if (ka <= kMaxFactor && kb <= kMaxFactor) {
      op.operand_scaling = OperandScaling::kOpaOpb16;
      op.ifm_scale.scale = static_cast<std::uint32_t>(ka);
      op.ifm2_scale.scale = static_cast<std::uint32_t>(kb);
      op.ofm_scale.shift -= common;
      if (!out.doubles(0)) op.ofm_scale.rounding = Rounding::kNatural;
      return true;
    }
  }
  const auto try_rounded = [&](const RescaleArguments& rounded, const std::optional<std::uint64_t>& factor,
                               OperandScaling mode) {
    if (!factor || rounded.doubles(0) || (*factor != kFixedFactor && (*factor == 0 || *factor > kMaxFactor)))
      return false;
    op.operand_scaling = mode;
    op.ifm_scale = {.scale = rounded.multiplier[0], .shift = rounded.shift[0], .rounding = Rounding::kNatural};
    op.ifm2_scale.scale = *factor == kFixedFactor ? 0 : static_cast<std::uint32_t>(*factor);
    return true;
  };
  return try_rounded(a, factor_b, OperandScaling::kOpa32) || try_rounded(b, factor_a, OperandScaling::kOpb32);
}

}  // namespace

Result<void> lower_add(Lowering& lowering, std::size_t index) {
  const auto& graph = lowering.graph;
  const auto& op = graph.op(index);
  if (op.inputs.size() != 2 || op.outputs.size() != 1)
    return fail(ErrorCode::kInvalidGraph, "ADD has two inputs and one output", {.op = graph.place(index)});
  std::array<RescaleArguments, 2> operands;
  std::array<int, 2> tensors{};
  for (std::size_t i = 0; i < 2; ++i) {
    const auto producer = graph.producer(op.inputs[i]);
    if (!producer || graph.op(*producer).op != tosa::Op::kRESCALE)
      return graph.unsupported(index, "the operands of ADD must be RESCALEd from INT8");
    MACAW_ASSIGN(operands[i], rescale_arguments(graph, *producer));
    if (operands[i].input != DType::kINT8 || operands[i].output != DType::kINT32 || operands[i].output_zp != 0 ||
        operands[i].multiplier.size() != 1)
      return graph.unsupported(*producer, "an operand of ADD is not rescaled from INT8 to INT32 by one multiplier");
    MACAW_ASSIGN(tensors[i], lowering.tensor(graph.op(*producer).inputs[0], *producer));
  }
  const auto result = lowering.follower(op.outputs[0], tosa::Op::kRESCALE);
  if (!result) return graph.unsupported(index, "ADD must be followed by one RESCALE");
  MACAW_ASSIGN(const auto out, rescale_arguments(graph, *result));
  if (out.input != DType::kINT32 || out.output != DType::kINT8 || out.multiplier.size() != 1)
    return graph.unsupported(*result, "ADD is not rescaled from INT32 to INT8 by one multiplier");

  auto layer = lowering.layer(index, OpKind::kElementwise);
  layer.op.elementwise = ElementwiseMode::kAdd;
  const auto& shape = graph.value(op.outputs[0]).shape;
  if (!shape) return graph.unsupported(index, "the result has no static shape");
  const auto& all = lowering.network.tensors;
  // Only IFM2 can be broadcast.
  if (all[tensors[0]].shape != *shape) {
    std::swap(tensors[0], tensors[1]);
    std::swap(operands[0], operands[1]);
  }
  const auto& full = all[tensors[0]];
  const auto& other = all[tensors[1]];
  if (full.shape != *shape || other.shape.size() != shape->size() || other.n != full.n ||
      (other.shape != full.shape && shape->size() > 4))
    return graph.unsupported(index, "both operands, or the batch, are broadcast");
  layer.ifm = tensors[0];
  layer.ifm2 = tensors[1];
  layer.op.ifm2_broadcast = {.h = other.h != full.h, .w = other.w != full.w, .c = other.c != full.c, .scalar = false};
  layer.op.ifm.zero_point = operands[0].input_zp;
  layer.op.ifm2.zero_point = operands[1].input_zp;
  layer.op.ofm.zero_point = out.output_zp;
  if (!scale_operands(layer.op, operands[0], operands[1], out))
    return graph.unsupported(index, "the operands' multipliers have no exact form on U55/U65");
  lowering.taken[*result] = true;
  return lowering.finish(std::move(layer), graph.op(*result).outputs[0], index);
}

}  // namespace macaw::npu
