#include "compiler/lower/elementwise.hpp"

#include <algorithm>

namespace macaw::npu {

bool RescaleArguments::doubles(std::size_t i) const {
  return rounding == tosa::RoundingMode::kDoubleRound && shift[i] > 31;
}

Rounding RescaleArguments::hardware_rounding() const {
  return rounding == tosa::RoundingMode::kDoubleRound ? Rounding::kDoubleSymmetric : Rounding::kNatural;
}

Scaling RescaleArguments::scaling(std::size_t i) const {
  return {.scale = multiplier[i], .shift = shift[i], .rounding = hardware_rounding(), .dbl = 0};
}

Result<RescaleArguments> rescale_arguments(const GraphView& graph, std::size_t index) {
  const auto& op = graph.op(index);
  RescaleArguments r;
  r.input_unsigned = op.get_int(tosa::Attr::k_input_unsigned) != 0;
  r.output_unsigned = op.get_int(tosa::Attr::k_output_unsigned) != 0;
  r.input = graph.value(op.inputs[0]).dtype;
  r.output = graph.value(op.outputs[0]).dtype;
  MACAW_ASSIGN(const auto multiplier, graph.integers(index, 1));
  MACAW_ASSIGN(const auto shift, graph.integers(index, 2));
  MACAW_ASSIGN(const auto input_zp, graph.integer(index, 3));
  MACAW_ASSIGN(const auto output_zp, graph.integer(index, 4));
  for (std::size_t i = 0; i < multiplier.size(); ++i) {
    if (multiplier[i] < 0 || shift[i] < 2 || shift[i] > 62)
      return graph.unsupported(index, "a multiplier is negative or a shift outside 2..62");
    r.multiplier.push_back(static_cast<std::uint32_t>(multiplier[i]));
    r.shift.push_back(static_cast<int>(shift[i]));
  }
  // A zero point is a value of the map's element type, signed or unsigned.
  const auto element = [](std::int64_t value, DType type, bool is_unsigned) {
    if (is_unsigned) value &= type == DType::kINT8 ? 0xFF : 0xFFFF;
    return static_cast<std::int32_t>(value);
  };
  r.input_zp = element(input_zp, r.input, r.input_unsigned);
  r.output_zp = element(output_zp, r.output, r.output_unsigned);
  r.rounding = static_cast<tosa::RoundingMode>(op.get_int(tosa::Attr::k_rounding_mode));
  return r;
}

Result<void> lower_rescale(Lowering& lowering) {
  const auto& graph = lowering.graph;
  const auto result = lowering.current().outputs[0];
  const auto& users = graph.consumers(result);
  // Operands of quantised additions are fused into them.
  if (!graph.is_output(result) && !users.empty() &&
      std::ranges::all_of(users, [&](auto user) { return match_quantized_add(lowering, user).has_value(); }))
    return {};
  MACAW_ASSIGN(const auto r, rescale_arguments(graph, lowering.op));
  MACAW_ASSIGN(auto in, lowering.input(0));
  auto tail = r.output_unsigned ? Tail{.value = result, .rescale = {}, .output = {}} : Tail{};
  if (!r.output_unsigned) {
    MACAW_ASSIGN(tail, lowering.tail(result, false));
  }
  auto& how = tail.output;
  how.scale = r.scaling();
  if (r.multiplier.size() > 1)
    for (std::size_t i = 0; i < r.multiplier.size(); ++i) how.per_channel.push_back({0, r.multiplier[i], r.shift[i]});
  MACAW_ASSIGN(const auto out, lowering.view(tail.value));
  return lowering.convert(out.as(!r.output_unsigned, r.output_zp), in.as(!r.input_unsigned, r.input_zp), how);
}

}  // namespace macaw::npu
