#include "compiler/command_writer.hpp"

#include <string>
#include <utility>

namespace macaw::npu {

std::optional<EncodedCommand> CommandWriter::encoded(std::string_view prefix, std::string_view name,
                                                     std::span<const FieldValue> fields, const CommandRow*& row) {
  if (error_) return std::nullopt;
  const std::string full = std::string(prefix).append(name);
  row = find_command(family_, full);
  if (!row) {
    error_ = Error{ErrorCode::kUsage, full + " is not a command of " + std::string(to_string(family_)), {}};
    return std::nullopt;
  }
  const auto command = encode(*row, fields);
  if (!command) {
    error_ = command.error();
    return std::nullopt;
  }
  return *command;
}

void CommandWriter::set(std::string_view name, std::span<const FieldValue> fields) {
  const CommandRow* row = nullptr;
  const auto command = encoded("NPU_SET_", name, fields, row);
  if (!command) return;
  const auto [at, added] = registers_.try_emplace({row->kind, row->opcode}, *command);
  if (!added && at->second.word0 == command->word0 && at->second.payload == command->payload) return;
  at->second = *command;
  words_.push_back(command->word0);
  if (row->words() == 2) words_.push_back(command->payload);
}

void CommandWriter::set(std::string_view name, std::uint64_t value) {
  const auto* row = find_command(family_, std::string("NPU_SET_").append(name));
  const FieldValue field{row && !row->fields().empty() ? row->fields().front().name : std::string_view{}, value};
  set(name, {&field, 1});
}

void CommandWriter::op(std::string_view name, std::span<const FieldValue> fields) {
  const CommandRow* row = nullptr;
  const auto command = encoded("NPU_OP_", name, fields, row);
  if (!command) return;
  position_ = words_.size();
  words_.push_back(command->word0);
  if (row->words() == 2) words_.push_back(command->payload);
}

void CommandWriter::fail(std::string message) {
  if (!error_) error_ = Error{ErrorCode::kUnsupported, std::move(message), {}};
}

Result<std::vector<std::uint32_t>> CommandWriter::finish() {
  if (error_) return tl::unexpected<Error>(*error_);
  return std::move(words_);
}

}  // namespace macaw::npu
