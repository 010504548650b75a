#pragma once
#include "sim/isa/decoder.hpp"

#include <cstdint>
#include <initializer_list>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace macaw::npu {

/// Builds a command stream. Registers keep their values, so writes that change nothing are left out. The first error is
/// kept and returned by finish().
class CommandWriter {
 public:
  explicit CommandWriter(Family family) : family_(family) {}

  /// `name` without "NPU_SET_".
  void set(std::string_view name, std::span<const FieldValue> fields);
  /// A register with one field.
  void set(std::string_view name, std::uint64_t value);
  /// `name` without "NPU_OP_".
  void op(std::string_view name, std::span<const FieldValue> fields = {});
  void op(std::string_view name, std::initializer_list<FieldValue> fields) {
    op(name, {fields.begin(), fields.size()});
  }
  /// Records an error: something that cannot be expressed in commands.
  void fail(std::string message);

  /// Index of the first word of the last operation written by op().
  [[nodiscard]] std::size_t position() const { return position_; }

  [[nodiscard]] Result<std::vector<std::uint32_t>> finish();

 private:
  std::optional<EncodedCommand> encoded(std::string_view prefix, std::string_view name,
                                        std::span<const FieldValue> fields, const CommandRow*& row);

  Family family_;
  std::vector<std::uint32_t> words_;
  std::size_t position_ = 0;
  std::map<std::pair<CommandKind, std::uint16_t>, EncodedCommand> registers_;
  std::optional<Error> error_;
};

}  // namespace macaw::npu
