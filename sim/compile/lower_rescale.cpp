#include "sim/compile/lower.hpp"

#include <algorithm>

namespace macaw::npu {

bool RescaleArguments::doubles(std::size_t i) const {
  return rounding == tosa::RoundingMode::kDoubleRound && shift[i] > 31;
}

Rounding RescaleArguments::hardware_rounding() const {
  return rounding == tosa::RoundingMode::kDoubleRound ? Rounding::kDoubleSymmetric : Rounding::kNatural;
}

Result<RescaleArguments> rescale_arguments(const GraphView& graph, std::size_t index) {
  const auto& op = graph.op(index);
  if (op.inputs.size() != 5 || op.outputs.size() != 1)
    return fail(ErrorCode::kInvalidGraph, "RESCALE has five inputs and one output", {.op = graph.place(index)});
  if (op.get_int(tosa::Attr::k_input_unsigned) || op.get_int(tosa::Attr::k_output_unsigned))
    return graph.unsupported(index, "RESCALE of unsigned values");
  RescaleArguments r;
  r.input = graph.value(op.inputs[0]).dtype;
  r.output = graph.value(op.outputs[0]).dtype;
  MACAW_ASSIGN(const auto multiplier, graph.integers(index, 1));
  MACAW_ASSIGN(const auto shift, graph.integers(index, 2));
  MACAW_ASSIGN(const auto input_zp, graph.integer(index, 3));
  MACAW_ASSIGN(const auto output_zp, graph.integer(index, 4));
  if (multiplier.empty() || multiplier.size() != shift.size())
    return fail(ErrorCode::kInvalidGraph, "multipliers and shifts differ in number", {.op = graph.place(index)});
  for (std::size_t i = 0; i < multiplier.size(); ++i) {
    if (multiplier[i] < 0 || shift[i] < 2 || shift[i] > 62)
      return graph.unsupported(index, "a multiplier is negative or a shift outside 2..62");
    r.multiplier.push_back(static_cast<std::uint32_t>(multiplier[i]));
    r.shift.push_back(static_cast<int>(shift[i]));
  }
  if (input_zp < -128 || input_zp > 127 || output_zp < -128 || output_zp > 127)
    return graph.unsupported(index, "a zero point is outside int8");
  if ((r.input == DType::kINT32 && input_zp != 0) || (r.output == DType::kINT32 && output_zp != 0))
    return fail(ErrorCode::kInvalidGraph, "INT32 has a zero point", {.op = graph.place(index)});
  r.input_zp = static_cast<std::int32_t>(input_zp);
  r.output_zp = static_cast<std::int32_t>(output_zp);
  r.rounding = static_cast<tosa::RoundingMode>(op.get_int(tosa::Attr::k_rounding_mode));
  return r;
}

Result<void> lower_rescale(Lowering& lowering, std::size_t index) {
  const auto& graph = lowering.graph;
  MACAW_ASSIGN(const auto r, rescale_arguments(graph, index));
  const auto output = graph.op(index).outputs[0];
  if (r.output == DType::kINT32) {
    // An operand of ADD: it becomes part of the addition when that is reached.
    const auto& users = graph.consumers(output);
    const bool only_adds = !graph.is_output(output) && !users.empty() &&
                           std::ranges::all_of(users, [&](auto u) { return graph.op(u).op == tosa::Op::kADD; });
    if (r.input == DType::kINT8 && only_adds) return {};
    return graph.unsupported(index, "RESCALE to INT32 is supported as an operand of ADD only");
  }
  if (r.input != DType::kINT8 || r.output != DType::kINT8)
    return graph.unsupported(index, "RESCALE from " + std::string(to_string(r.input)) + " to " +
                                        std::string(to_string(r.output)) + " on its own");
  if (r.multiplier.size() != 1) return graph.unsupported(index, "RESCALE per channel on its own");
  // One-element averages with the RESCALE as their scale.
  auto layer = lowering.layer(index, OpKind::kPool);
  layer.op.pool = PoolMode::kAverage;
  MACAW_ASSIGN(layer.ifm, lowering.tensor(graph.op(index).inputs[0], index));
  layer.op.ofm_scale = {.scale = r.multiplier[0], .shift = r.shift[0], .rounding = r.hardware_rounding()};
  layer.op.ifm.zero_point = r.input_zp;
  layer.op.ofm.zero_point = r.output_zp;
  return lowering.finish(std::move(layer), output, index);
}

}  // namespace macaw::npu
