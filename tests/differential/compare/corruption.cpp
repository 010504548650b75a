#include "tests/differential/compare/corruption.hpp"

#include "sim/isa/command_parser.hpp"
#include "sim/isa/decoder.hpp"

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

std::optional<std::string> corrupt_word(npu::CommandStream& commands, const npu::Accelerator& accelerator,
                                        std::uint32_t operation, std::mt19937& random) {
  const auto decoded = npu::decode(accelerator.family, commands.words);
  std::uint32_t first = operation;
  while (first > 0 && !(*decoded)[first - 1].row->name.view().starts_with("NPU_OP_")) --first;
  if (first == operation) return std::nullopt;
  const auto& command = (*decoded)[first + draw(random, operation - first)];
  const bool payload = command.row->kind == npu::CommandKind::cmd1;
  const auto word = command.offset / 4 + (payload ? 1 : 0);
  const auto bit = payload ? draw(random, 32) : 16 + draw(random, 16);
  commands.words[word] ^= 1U << bit;
  return std::string(command.row->name) + " bit " + std::to_string(bit);
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
  switch (kind ? *kind : static_cast<Corrupted>(draw(random, 3))) {
    case Corrupted::kCommand: what = corrupt_word(*commands, accelerator, chosen.index, random); break;
    case Corrupted::kWeight:
      if (op.has_weights() && !op.weights_from_ifm2)
        what = corrupt_stream(artifact, *commands, op.weights, "weight", random);
      break;
    case Corrupted::kScale:
      if (op.has_scales()) what = corrupt_stream(artifact, *commands, op.scales, "scale", random);
      break;
    case Corrupted::kTable: what = corrupt_table(artifact, *commands, *program, random);
  }
  if (!what) return std::nullopt;
  return Corruption{*what, step, chosen.index};
}

}  // namespace macaw
