#include "tests/differential/compare/corruption.hpp"

#include "sim/isa/command_parser.hpp"
#include "sim/isa/decoder.hpp"

#include <algorithm>
#include <initializer_list>
#include <string_view>
#include <utility>
#include <vector>

namespace macaw {
namespace {

std::size_t draw(std::mt19937& random, std::size_t count) { return random() % count; }

std::optional<std::string> corrupt_bytes(npu::Artifact& artifact, const npu::CommandStream& commands, int region,
                                         std::uint64_t base, std::uint64_t length, const char* what,
                                         std::mt19937& random) {
  if (length == 0) return std::nullopt;
  const auto& binding = commands.regions[static_cast<std::size_t>(region)];
  if (binding.memory < 0) return std::nullopt;
  auto& bytes = artifact.memories[static_cast<std::size_t>(binding.memory)].initial;
  const auto at = draw(random, length);
  const auto place = binding.offset + base + at;
  if (place >= bytes.size()) return std::nullopt;
  bytes[place] = static_cast<std::uint8_t>(bytes[place] ^ (1U << draw(random, 8)));
  return std::string(what) + " byte " + std::to_string(at) + " of " + std::to_string(length);
}

std::optional<std::string> corrupt_stream(npu::Artifact& artifact, const npu::CommandStream& commands,
                                          std::span<const npu::Stream> streams, const char* what,
                                          std::mt19937& random) {
  const auto& stream = streams[draw(random, streams.size())];
  return corrupt_bytes(artifact, commands, stream.region, stream.base, stream.length, what, random);
}

/// A bit of what one of the DMA jobs puts into the NPU's own memory: those of a stream load tables.
std::optional<std::string> corrupt_table(npu::Artifact& artifact, const npu::CommandStream& commands,
                                         const std::vector<npu::StreamOperation>& program, std::mt19937& random) {
  std::vector<const npu::DmaOperation*> loads;
  for (const auto& operation : program)
    if (const auto* dma = std::get_if<npu::DmaOperation>(&operation.action);
        dma != nullptr && dma->dst_internal && !dma->src_internal)
      loads.push_back(dma);
  if (loads.empty()) return std::nullopt;
  const auto& load = *loads[draw(random, loads.size())];
  return corrupt_bytes(artifact, commands, load.src_region, load.src, load.len, "table", random);
}

/// A bit of one part of a channel's record of ten bytes: bias in five, multiplier in four, shift in one.
std::optional<std::string> corrupt_scale(npu::Artifact& artifact, const npu::CommandStream& commands,
                                         std::span<const npu::Stream> streams, bool bias, std::mt19937& random) {
  constexpr std::uint64_t kRecord = 10, kBias = 4;  // the fifth byte of a bias is its sign
  const auto& stream = streams[draw(random, streams.size())];
  if (stream.length < kRecord) return std::nullopt;
  const auto record = stream.base + kRecord * draw(random, stream.length / kRecord);
  return bias ? corrupt_bytes(artifact, commands, stream.region, record, kBias, "bias", random)
              : corrupt_bytes(artifact, commands, stream.region, record + kBias + 1, kRecord - kBias - 1, "scale",
                              random);
}

/// The commands that are set for an operation since the one before it.
std::vector<npu::Command> commands_of(const npu::CommandStream& commands, const npu::Accelerator& accelerator,
                                      std::uint32_t operation) {
  const auto decoded = npu::decode(accelerator.family, commands.words);
  std::uint32_t first = operation;
  while (first > 0 && !(*decoded)[first - 1].row->name.view().starts_with("NPU_OP_")) --first;
  return {decoded->begin() + first, decoded->begin() + operation + 1};
}

/// A bit of one of the registers whose names hold one of the texts.
std::optional<std::string> corrupt_word(npu::CommandStream& stream, const npu::Accelerator& accelerator,
                                        std::uint32_t operation, std::initializer_list<std::string_view> texts,
                                        std::mt19937& random) {
  auto commands = commands_of(stream, accelerator, operation);
  commands.pop_back();
  std::erase_if(commands, [&](const npu::Command& command) {
    return std::ranges::none_of(
        texts, [&](std::string_view text) { return command.row->name.view().find(text) != std::string_view::npos; });
  });
  if (commands.empty()) return std::nullopt;
  const auto& command = commands[draw(random, commands.size())];
  const bool payload = command.row->kind == npu::CommandKind::cmd1;
  const auto word = command.offset / 4 + (payload ? 1 : 0);
  const auto bit = payload ? draw(random, 32) : 16 + draw(random, 16);
  stream.words[word] ^= 1U << bit;
  return std::string(command.row->name) + " bit " + std::to_string(bit);
}

/// Puts a register that is set again, which changes nothing, in the place of the operation.
std::optional<std::string> remove_operation(npu::CommandStream& stream, const npu::Accelerator& accelerator,
                                            std::uint32_t operation) {
  const auto commands = commands_of(stream, accelerator, operation);
  const auto same = std::ranges::find_if(commands, [](const npu::Command& command) {
    return command.row->kind == npu::CommandKind::cmd0 && !command.row->name.view().starts_with("NPU_OP_");
  });
  if (same == commands.end()) return std::nullopt;
  stream.words[commands.back().offset / 4] = stream.words[same->offset / 4];
  return std::string("removed ") + std::string(commands.back().row->name);
}

/// Exchanges the first tiles' addresses of IFM and IFM2.
std::optional<std::string> swap_operands(npu::CommandStream& stream, const npu::Accelerator& accelerator,
                                         std::uint32_t operation) {
  const auto commands = commands_of(stream, accelerator, operation);
  const auto find = [&](std::string_view name) {
    return std::ranges::find_if(commands, [&](const npu::Command& c) { return c.row->name.view() == name; });
  };
  const auto first = find("NPU_SET_IFM_BASE0"), second = find("NPU_SET_IFM2_BASE0");
  if (first == commands.end() || second == commands.end()) return std::nullopt;
  auto &a = stream.words[first->offset / 4 + 1], &b = stream.words[second->offset / 4 + 1];
  if (a == b) return std::nullopt;
  std::swap(a, b);
  return "swapped operands";
}

}  // namespace

std::optional<Corruption> corrupt(npu::Artifact& artifact, const npu::Accelerator& accelerator, std::mt19937& random,
                                  std::optional<Corrupted> kind) {
  const auto step = draw(random, artifact.steps.size());
  auto* commands = std::get_if<npu::CommandStream>(&artifact.steps[step]);
  if (commands == nullptr) return std::nullopt;
  const auto program = npu::parse_program(accelerator, commands->words);
  std::vector<const npu::StreamOperation*> operations;
  for (const auto& s : *program)
    if (std::holds_alternative<npu::BlockOperation>(s.action)) operations.push_back(&s);
  if (operations.empty()) return std::nullopt;
  const auto& chosen = *operations[draw(random, operations.size())];
  const auto& op = std::get<npu::BlockOperation>(chosen.action);
  std::optional<std::string> what;
  if (!kind) kind = static_cast<Corrupted>(draw(random, 3));
  switch (*kind) {
    case Corrupted::kCommand: what = corrupt_word(*commands, accelerator, chosen.index, {"NPU_SET"}, random); break;
    case Corrupted::kStride: what = corrupt_word(*commands, accelerator, chosen.index, {"STRIDE_"}, random); break;
    case Corrupted::kAddress: what = corrupt_word(*commands, accelerator, chosen.index, {"_BASE"}, random); break;
    case Corrupted::kZeroPoint:
      what = corrupt_word(*commands, accelerator, chosen.index, {"ZERO_POINT"}, random);
      break;
    case Corrupted::kRemoved: what = remove_operation(*commands, accelerator, chosen.index); break;
    case Corrupted::kSwapped: what = swap_operands(*commands, accelerator, chosen.index); break;
    case Corrupted::kWeight:
      if (op.has_weights() && !op.weights_from_ifm2)
        what = corrupt_stream(artifact, *commands, op.weights, "weight", random);
      break;
    case Corrupted::kScale:
    case Corrupted::kBias:
      if (op.has_scales()) what = corrupt_scale(artifact, *commands, op.scales, *kind == Corrupted::kBias, random);
      break;
    case Corrupted::kTable: what = corrupt_table(artifact, *commands, *program, random);
  }
  if (!what) return std::nullopt;
  return Corruption{*what, step, chosen.index};
}

}  // namespace macaw
