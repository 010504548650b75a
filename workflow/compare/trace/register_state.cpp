#include "workflow/compare/trace/register_state.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "sim/isa/disasm.hpp"

namespace macaw::compare {
namespace {

bool is_operation(const npu::Command& command) {
  return command.row->name.view().starts_with("NPU_OP_") && !command.row->name.view().ends_with("_WAIT");
}

std::string map_text(const char* name, const npu::FeatureMap& map) {
  auto text = fmt::format("{}: {}{} [{}, {}, {}]", name, map.is_signed ? "int" : "uint", map.bits, map.h, map.w, map.c);
  if (map.storage == npu::Storage::kNone) return text + ", nowhere";
  if (map.storage == npu::Storage::kChained) return text + fmt::format(", chain buffer {}", map.region);
  return text + fmt::format(" {} in region {} from 0x{:x}, strides {} {} {}, zero point {}",
                            map.layout == npu::Layout::kNHWC ? "NHWC" : "NHCWB16", map.region, map.base[0],
                            map.stride_y, map.stride_x, map.stride_c, map.zero_point);
}

}  // namespace

std::vector<RegisterLine> register_state(const npu::Artifact& artifact, const npu::Accelerator& accelerator,
                                         std::size_t step, std::uint32_t command) {
  const auto& stream = std::get<npu::CommandStream>(artifact.steps[step]);
  const auto commands = npu::decode(accelerator.family, stream.words);
  if (!commands || command >= commands->size()) return {};
  // The two kinds of commands have opcodes of their own.
  std::map<std::pair<npu::CommandKind, std::uint16_t>, RegisterLine> registers;
  for (std::uint32_t i = 0; i < command; ++i) {
    const auto& at = (*commands)[i];
    if (is_operation(at))
      for (auto& [opcode, line] : registers) line.changed = false;
    else if (at.row->is_set()) registers[{at.row->kind, at.row->opcode}] = {npu::to_text(accelerator.family, at), true};
  }
  std::vector<RegisterLine> lines;
  for (auto& [opcode, line] : registers) lines.push_back(std::move(line));
  lines.push_back({npu::to_text(accelerator.family, (*commands)[command]), true});
  return lines;
}

std::vector<std::string> operation_text(const npu::BlockOperation& op) {
  std::vector<std::string> lines{map_text("IFM", op.ifm)};
  if (op.has_ifm2()) lines.push_back(map_text("IFM2", op.ifm2));
  lines.push_back(map_text("OFM", op.ofm));
  const auto& k = op.kernel;
  if (op.kind != npu::OpKind::kElementwise)
    lines.push_back(fmt::format(
        "kernel [{}, {}], stride [{}, {}], dilation [{}, {}], padding top {} left {} bottom {} right {}", k.height,
        k.width, k.stride_y, k.stride_x, k.dilation_y, k.dilation_x, k.pad_top, k.pad_left, k.pad_bottom, k.pad_right));
  if (op.scale_per_channel) lines.emplace_back("scale: per channel");
  else lines.push_back(fmt::format("scale: {} >> {}", op.ofm_scale.scale, op.ofm_scale.shift));
  const auto bound = [&](std::uint16_t raw) {
    return op.ofm.is_signed ? std::int64_t{static_cast<std::int16_t>(raw)} : std::int64_t{raw};
  };
  lines.push_back(fmt::format("clamp: {} to {}", bound(op.activation.min), bound(op.activation.max)));
  return lines;
}

}  // namespace macaw::compare
