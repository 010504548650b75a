#pragma once
#include <macaw/error.hpp>

#include <span>
#include <vector>

#include "sim/isa/command_table.hpp"

// Command words to commands and back (u55_u65 2.1).
namespace macaw::npu {

/// One command of a stream, as words and as its row.
struct Command {
  const CommandRow* row = nullptr;
  std::uint32_t index = 0;   ///< number of the command in the stream
  std::uint32_t offset = 0;  ///< byte offset of its first word in the stream
  std::uint32_t word0 = 0, payload = 0;

  [[nodiscard]] std::uint16_t param() const { return std::uint16_t(word0 >> 16); }
  [[nodiscard]] std::uint64_t value(const FieldRow& field) const;
};

[[nodiscard]] std::uint64_t extract(const FieldRow& field, std::uint32_t word0, std::uint32_t payload);

/// Decodes the command that starts at byte `offset`. An unknown opcode, control bits 2 or 3, a missing payload or a
/// reserved bit that is set is a kHardwareFault "cmd_parse_error". Reserved codes of enumerations pass: they fault
/// when an operation uses them.
[[nodiscard]] Result<Command> decode_command(Family family, std::span<const std::uint32_t> words, std::uint32_t index,
                                             std::uint64_t offset);

/// Decodes all words, including those after an NPU_OP_STOP.
[[nodiscard]] Result<std::vector<Command>> decode(Family family, std::span<const std::uint32_t> words);

/// A field and its value, for the encoder.
struct FieldValue {
  std::string_view name;
  std::uint64_t value = 0;
};

/// Words of a command; fields that are not named are 0. A value that does not fit, or a field that the row does not
/// have, is a kUsage error.
struct EncodedCommand {
  std::uint32_t word0 = 0, payload = 0;
};
[[nodiscard]] Result<EncodedCommand> encode(const CommandRow& row, std::span<const FieldValue> values);

}  // namespace macaw::npu
