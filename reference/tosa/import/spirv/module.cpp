#include "reference/tosa/import/spirv/module.hpp"

#include <fmt/format.h>

namespace macaw::tosa::spirv {
namespace {

constexpr std::uint32_t kMagic = 0x07230203;
constexpr std::size_t kHeaderWords = 5;
constexpr std::uint32_t kBindingDecoration = 33;

/// Words before an instruction's own operands.
enum class Form : std::uint8_t { kPlain, kResult, kTypeAndResult, kSkipped };

Form form_of(Opcode opcode) {
  switch (opcode) {
    case Opcode::kName:
    case Opcode::kDecorate:
    case Opcode::kGraphEntryPoint:
    case Opcode::kGraphSetOutput:
    case Opcode::kGraphEnd: return Form::kPlain;
    case Opcode::kExtInstImport:
    case Opcode::kTypeBool:
    case Opcode::kTypeInt:
    case Opcode::kTypeFloat:
    case Opcode::kTypeArray:
    case Opcode::kTypeRuntimeArray:
    case Opcode::kTypeStruct:
    case Opcode::kTypePointer:
    case Opcode::kTypeTensor:
    case Opcode::kTypeGraph: return Form::kResult;
    case Opcode::kExtInst:
    case Opcode::kConstantTrue:
    case Opcode::kConstantFalse:
    case Opcode::kConstant:
    case Opcode::kConstantComposite:
    case Opcode::kConstantNull:
    case Opcode::kSpecConstantTrue:
    case Opcode::kSpecConstantFalse:
    case Opcode::kSpecConstant:
    case Opcode::kSpecConstantComposite:
    case Opcode::kVariable:
    case Opcode::kCompositeExtract:
    case Opcode::kGraphConstant:
    case Opcode::kGraph:
    case Opcode::kGraphInput:
    case Opcode::kConstantCompositeReplicate:
    case Opcode::kSpecConstantCompositeReplicate: return Form::kTypeAndResult;
  }
  return Form::kSkipped;
}

}  // namespace

std::optional<LiteralString> literal_string(std::span<const std::uint32_t> words) {
  LiteralString read;
  for (const auto word : words) {
    ++read.words;
    for (int byte = 0; byte < 4; ++byte) {
      const auto c = static_cast<char>(word >> (8 * byte));
      if (c == '\0') return read;
      read.text.push_back(c);
    }
  }
  return std::nullopt;
}

tl::unexpected<Error> Module::error(ErrorCode code, std::string message) const {
  return fail(code, std::move(message), {.file = place_});
}

Result<Module> Module::parse(std::span<const std::uint32_t> words, std::string place) {
  Module module;
  module.place_ = std::move(place);
  if (words.size() < kHeaderWords || words[0] != kMagic)
    return module.error(ErrorCode::kInvalidFile, "no SPIR-V module: expected the little-endian word 0x07230203");
  for (std::size_t at = kHeaderWords; at < words.size();) {
    const auto count = words[at] >> 16;
    if (count == 0 || count > words.size() - at)
      return module.error(ErrorCode::kInvalidFile, fmt::format("the instruction at word {} has {} words, {} are left",
                                                               at, count, words.size() - at));
    Instruction instruction{static_cast<Opcode>(words[at] & 0xffff), 0, 0, words.subspan(at + 1, count - 1)};
    const auto form = form_of(instruction.opcode);
    const std::size_t head = form == Form::kTypeAndResult ? 2 : form == Form::kResult ? 1 : 0;
    if (instruction.operands.size() < head)
      return module.error(ErrorCode::kInvalidFile, fmt::format("the instruction at word {} is too short", at));
    if (head == 2) instruction.type = instruction.operands[0];
    if (head > 0) instruction.result = instruction.operands[head - 1];
    instruction.operands = instruction.operands.subspan(head);
    if (form != Form::kSkipped) MACAW_CHECK(module.add(instruction));
    at += count;
  }
  return module;
}

Result<void> Module::add(const Instruction& in) {
  const auto too_short = [&] {
    return error(ErrorCode::kInvalidFile, fmt::format("an instruction {} is too short", static_cast<int>(in.opcode)));
  };
  switch (in.opcode) {
    case Opcode::kName: {
      const auto text = in.operands.empty() ? std::nullopt : literal_string(in.operands.subspan(1));
      if (!text) return too_short();
      names_.emplace(in.operands[0], text->text);
      return {};
    }
    case Opcode::kDecorate:
      if (in.operands.size() < 2) return too_short();
      if (in.operands[1] == kBindingDecoration && in.operands.size() > 2)
        bindings_.emplace(in.operands[0], in.operands[2]);
      return {};
    case Opcode::kGraphEntryPoint: {
      const auto text = in.operands.empty() ? std::nullopt : literal_string(in.operands.subspan(1));
      if (!text) return too_short();
      entry_points_.push_back({in.operands[0], text->text, in.operands.subspan(1 + text->words)});
      return {};
    }
    case Opcode::kGraph:
      open_graph_ = in.result;
      bodies_[in.result];
      break;
    case Opcode::kGraphEnd: open_graph_ = 0; return {};
    default:
      if (open_graph_ != 0) bodies_[open_graph_].push_back(in);
  }
  if (in.result != 0 && !definitions_.emplace(in.result, in).second)
    return error(ErrorCode::kInvalidFile, fmt::format("%{} is defined twice", in.result));
  return {};
}

const Instruction* Module::find(Id id) const {
  const auto found = definitions_.find(id);
  return found == definitions_.end() ? nullptr : &found->second;
}

std::span<const Instruction> Module::body(Id graph) const {
  const auto found = bodies_.find(graph);
  return found == bodies_.end() ? std::span<const Instruction>() : found->second;
}

Result<std::vector<PortType>> Module::inputs(Id graph) const { return ports(graph, false); }
Result<std::vector<PortType>> Module::outputs(Id graph) const { return ports(graph, true); }

Result<std::vector<PortType>> Module::ports(Id graph, bool outputs) const {
  const auto* definition = find(graph);
  const auto* type = definition ? find(definition->type) : nullptr;
  if (!type || type->opcode != Opcode::kTypeGraph || type->operands.empty() ||
      type->operands[0] >= type->operands.size())
    return error(ErrorCode::kInvalidFile, fmt::format("%{} is not a graph", graph));
  const auto ids = type->operands.subspan(1), inputs = ids.first(type->operands[0]);
  std::vector<PortType> read;
  for (const auto id : outputs ? ids.subspan(inputs.size()) : inputs) {
    MACAW_ASSIGN(read.emplace_back(), port_type(id));
  }
  return read;
}

std::optional<std::uint32_t> Module::binding(Id variable) const {
  const auto found = bindings_.find(variable);
  return found == bindings_.end() ? std::nullopt : std::optional(found->second);
}

std::string Module::name(Id id) const {
  const auto found = names_.find(id);
  return found == names_.end() ? std::string() : found->second;
}

}  // namespace macaw::tosa::spirv
