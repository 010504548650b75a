#include "compiler/generation.hpp"
#include "compiler/lower/elementwise.hpp"

#include <utility>

// Quantised addition: RESCALE, RESCALE, ADD, RESCALE as one elementwise operation.
namespace macaw::npu {
namespace {

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
  const compiler::Units& units = lowering.generation.units;
  for (std::size_t i = 0; i < 2; ++i) {
    const auto producer = graph.producer(op.inputs[i]);
    if (!producer || graph.op(*producer).op != tosa::Op::kRESCALE) return std::nullopt;
    const auto r = rescale_arguments(graph, *producer);
    if (!r || !one_scale(*r) || r->output != DType::kINT32) return std::nullopt;
    if (r->input != DType::kINT8 && !(units.sum_bits >= 16 && r->input == DType::kINT16)) return std::nullopt;
    match.operands[i] = *r;
    match.inputs[i] = graph.op(*producer).inputs[0];
  }
  const auto& [a, b] = match.operands;
  if (a.input != b.input || (a.input == DType::kINT8) != (out->output == DType::kINT8)) return std::nullopt;
  // If only the second operand can be broadcast, the scales belong to positions.
  const auto& shape = graph.value(op.outputs[0]).shape;
  const auto full = [&](std::size_t i) { return graph.value(match.inputs[i]).shape == shape; };
  if (!traits(lowering.family()).repeats_ifm && !full(0)) {
    if (!full(1)) return std::nullopt;
    std::swap(match.operands[0], match.operands[1]);
    std::swap(match.inputs[0], match.inputs[1]);
  }
  match.block = lowering.block(OpKind::kElementwise);
  match.block.elementwise = ElementwiseMode::kAdd;
  if (!lowering.generation.scale_sum(match.block, match.operands[0], match.operands[1], *out)) return std::nullopt;
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
