#include "tests/differential/compare/corruption.hpp"

#include "sim/isa/command_parser.hpp"
#include "sim/isa/decoder.hpp"

#include <vector>

namespace macaw {
namespace {

std::size_t draw(std::mt19937& random, std::size_t count) { return random() % count; }

std::optional<std::string> corrupt_stream(npu::Artifact& artifact, const npu::CommandStream& commands,
                                          std::span<const npu::Stream> streams, const char* what,
                                          std::mt19937& random) {
  const auto& stream = streams[draw(random, streams.size())];
  if (stream.length == 0) return std::nullopt;
  const auto& binding = commands.regions[static_cast<std::size_t>(stream.region)];
  if (binding.memory < 0) return std::nullopt;
  auto& bytes = artifact.memories[static_cast<std::size_t>(binding.memory)].initial;
  const auto at = draw(random, stream.length);
  const auto place = binding.offset + stream.base + at;
  if (place >= bytes.size()) return std::nullopt;
  bytes[place] = static_cast<std::uint8_t>(bytes[place] ^ (1U << draw(random, 8)));
  return std::string(what) + " byte " + std::to_string(at) + " of " + std::to_string(stream.length);
}

std::optional<std::string> corrupt_word(npu::CommandStream& commands, const npu::Accelerator& accelerator,
                                        std::uint32_t operation, std::mt19937& random) {
  const auto decoded = npu::decode(accelerator.family, commands.words);
  std::uint32_t first = operation;
  while (first > 0 && !(*decoded)[first - 1].row->name.starts_with("NPU_OP_")) --first;
  if (first == operation) return std::nullopt;
  const auto& command = (*decoded)[first + draw(random, operation - first)];
  const bool payload = command.row->kind == npu::CommandKind::cmd1;
  const auto word = command.offset / 4 + (payload ? 1 : 0);
  const auto bit = payload ? draw(random, 32) : 16 + draw(random, 16);
  commands.words[word] ^= 1U << bit;
  return std::string(command.row->name) + " bit " + std::to_string(bit);
}

}  // namespace

std::optional<Corruption> corrupt(npu::Artifact& artifact, const npu::Accelerator& accelerator, std::mt19937& random) {
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
  switch (draw(random, 3)) {
    case 0: what = corrupt_word(*commands, accelerator, chosen.index, random); break;
    case 1:
      if (op.has_weights() && !op.weights_from_ifm2)
        what = corrupt_stream(artifact, *commands, op.weights, "weight", random);
      break;
    default:
      if (op.has_scales()) what = corrupt_stream(artifact, *commands, op.scales, "scale", random);
  }
  if (!what) return std::nullopt;
  return Corruption{*what, step, chosen.index};
}

}  // namespace macaw
