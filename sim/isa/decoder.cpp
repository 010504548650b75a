#include "sim/isa/decoder.hpp"

#include <fmt/format.h>

namespace macaw::npu {
namespace {

constexpr std::uint32_t kOpcodeMask = 0x3ff;
constexpr unsigned kControlShift = 14;

constexpr std::uint32_t mask(unsigned width) { return width >= 32 ? ~0u : (1u << width) - 1; }

struct Masks {
  std::uint32_t word0 = kOpcodeMask | 3u << kControlShift, payload = 0;
};

/// Bits of each word that a field or the command header covers.
Masks covered(const CommandRow& row) {
  Masks masks;
  for (const auto& field : row.fields()) {
    if (field.word == 0) masks.word0 |= mask(field.width) << field.lsb;
    if (field.word == 1) masks.payload |= mask(field.width) << field.lsb;
    if (field.width > 32) masks.word0 |= mask(field.width - 32u) << 16;
  }
  return masks;
}

}  // namespace

std::uint64_t extract(const FieldRow& field, std::uint32_t word0, std::uint32_t payload) {
  std::uint64_t value = (field.word == 0 ? word0 : payload) >> field.lsb & mask(field.width);
  if (field.width > 32) value |= std::uint64_t(word0 >> 16 & mask(field.width - 32u)) << 32;
  return value;
}

std::uint64_t Command::value(const FieldRow& field) const { return extract(field, word0, payload); }

Result<Command> decode_command(Family family, std::span<const std::uint32_t> words, std::uint32_t index,
                               std::uint64_t offset) {
  const auto parse_error = [&](std::string what) {
    return fail(ErrorCode::kHardwareFault, "cmd_parse_error: " + std::move(what),
                {.command_index = index, .byte_offset = offset});
  };
  if (offset % 4) return parse_error("the command is not at a multiple of 4 bytes");
  const auto at = offset / 4;
  if (at >= words.size()) return parse_error("the stream ends without NPU_OP_STOP");

  Command command{.index = index, .offset = std::uint32_t(offset), .word0 = words[at]};
  const unsigned control = command.word0 >> kControlShift & 3;
  const unsigned opcode = command.word0 & kOpcodeMask;
  if (control > 1)
    return parse_error(fmt::format("word {:#010x} has the reserved control value {}", command.word0, control));
  command.row = find_command(family, CommandKind(control), opcode);
  if (!command.row) return parse_error(fmt::format("{} has no cmd{} opcode {:#x}", to_string(family), control, opcode));
  if (control == 1) {
    if (at + 1 >= words.size()) return parse_error(fmt::format("{} has no payload word", command.row->name));
    command.payload = words[at + 1];
  }
  const Masks masks = covered(*command.row);
  if (const auto bits = command.word0 & ~masks.word0)
    return parse_error(fmt::format("{} sets reserved bits {:#010x} of word 0", command.row->name, bits));
  if (const auto bits = command.payload & ~masks.payload)
    return parse_error(fmt::format("{} sets reserved bits {:#010x} of its payload", command.row->name, bits));
  return command;
}

Result<std::vector<Command>> decode(Family family, std::span<const std::uint32_t> words) {
  std::vector<Command> commands;
  for (std::uint64_t offset = 0; offset < words.size() * 4;) {
    MACAW_ASSIGN(const Command command, decode_command(family, words, std::uint32_t(commands.size()), offset));
    offset += command.row->words() * 4;
    commands.push_back(command);
  }
  return commands;
}

Result<EncodedCommand> encode(const CommandRow& row, std::span<const FieldValue> values) {
  EncodedCommand words{.word0 = row.opcode | std::uint32_t(row.kind) << kControlShift};
  for (const auto& [name, value] : values) {
    const FieldRow* field = find_field(row, name);
    if (!field) return fail(ErrorCode::kUsage, fmt::format("{} has no field {}", row.name, name));
    if (value > field->max())
      return fail(ErrorCode::kUsage,
                  fmt::format("{} {}: {:#x} does not fit {} bits", row.name, name, value, field->width));
    (field->word == 0 ? words.word0 : words.payload) |= std::uint32_t(value) << field->lsb;
    if (field->width > 32) words.word0 |= std::uint32_t(value >> 32) << 16;
  }
  return words;
}

}  // namespace macaw::npu
