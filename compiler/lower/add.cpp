#include "compiler/lower/elementwise.hpp"

#include <algorithm>
#include <bit>

// Quantised addition: RESCALE, RESCALE, ADD, RESCALE as one elementwise operation. U85 scales each operand by a rounded
// multiplier. U55 and U65 scale theirs in one of two exact ways (u55_u65 5.4): both by 16-bit integers, or
// one by a rounded multiplier and the other by an integer, 2^19 unless OPB_SCALE gives another.
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
  op.ofm_scale = out.scaling();
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
    op.ifm_scale = {
        .scale = rounded.multiplier[0], .shift = rounded.shift[0], .rounding = Rounding::kNatural, .dbl = 0};
    op.ifm2_scale.scale = *factor == kFixedFactor ? 0 : static_cast<std::uint32_t>(*factor);
    return true;
  };
  return try_rounded(a, factor_b, OperandScaling::kOpa32) || try_rounded(b, factor_a, OperandScaling::kOpb32);
}

bool one_scale(const RescaleArguments& r) {
  return r.multiplier.size() == 1 && !r.input_unsigned && !r.output_unsigned;
}

}  // namespace

std::optional<QuantizedAdd> match_quantized_add(const Lowering& lowering, std::size_t index) {
  const auto& graph = lowering.graph;
  const auto& op = graph.op(index);
  if (op.op != tosa::Op::kADD) return std::nullopt;
  const auto next = lowering.follower(op.outputs[0], tosa::Op::kRESCALE);
  if (!next) return std::nullopt;
  const auto out = rescale_arguments(graph, *next);
  if (!out || !one_scale(*out) || (out->output != DType::kINT8 && out->output != DType::kINT16)) return std::nullopt;
  QuantizedAdd match;
  const bool u85 = lowering.u85();
  for (std::size_t i = 0; i < 2; ++i) {
    const auto producer = graph.producer(op.inputs[i]);
    if (!producer || graph.op(*producer).op != tosa::Op::kRESCALE) return std::nullopt;
    const auto r = rescale_arguments(graph, *producer);
    if (!r || !one_scale(*r) || r->output != DType::kINT32) return std::nullopt;
    if (r->input != DType::kINT8 && !(u85 && r->input == DType::kINT16)) return std::nullopt;
    match.operands[i] = *r;
    match.inputs[i] = graph.op(*producer).inputs[0];
  }
  const auto& [a, b] = match.operands;
  if (a.input != b.input || (a.input == DType::kINT8) != (out->output == DType::kINT8)) return std::nullopt;
  // Only the second operand of U55 and U65 is broadcast, and their operand scales belong to positions.
  const auto& shape = graph.value(op.outputs[0]).shape;
  const auto full = [&](std::size_t i) { return graph.value(match.inputs[i]).shape == shape; };
  if (!u85 && !full(0)) {
    if (!full(1)) return std::nullopt;
    std::swap(match.operands[0], match.operands[1]);
    std::swap(match.inputs[0], match.inputs[1]);
  }
  match.block = lowering.block(OpKind::kElementwise);
  match.block.elementwise = ElementwiseMode::kAdd;
  if (u85) {
    match.block.ifm_scale = a.scaling();
    match.block.ifm2_scale = b.scaling();
    match.block.ofm_scale = out->scaling();
  } else if (!scale_operands(match.block, match.operands[0], match.operands[1], *out)) {
    return std::nullopt;
  }
  return match;
}

Result<void> lower_add(Lowering& lowering) {
  const auto match = match_quantized_add(lowering, lowering.op);
  if (!match) return lower_binary(lowering, ElementwiseMode::kAdd);
  MACAW_ASSIGN(const auto tail, lowering.tail(lowering.current().outputs[0], true));
  auto proto = match->block;
  MACAW_ASSIGN(auto out, lowering.view(tail.value));
  out = out.as(true, tail.rescale->output_zp);
  auto how = tail.output;
  how.scale = proto.ofm_scale;
  lowering.set_output(proto, out, how);
  std::array<StorageView, 2> inputs;
  for (std::size_t i = 0; i < 2; ++i) {
    MACAW_ASSIGN(inputs[i], lowering.view(match->inputs[i]));
    inputs[i] = inputs[i].as(true, match->operands[i].input_zp);
  }
  return lowering.elementwise(proto, out, inputs[0], inputs[1], how);
}

}  // namespace macaw::npu
