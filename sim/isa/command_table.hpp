#pragma once
#include <macaw/npu/accelerator.hpp>

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "sim/isa/fixed_text.hpp"

// The command set as data: rows of commands.def and enums.def, and lookups on them.
namespace macaw::npu {

/// Set of families that a row applies to, one bit per Family.
using FamilySet = std::uint8_t;
[[nodiscard]] constexpr FamilySet family_set(Family family) { return FamilySet(1u << unsigned(family)); }

namespace families {
inline constexpr FamilySet kU55 = family_set(Family::kU55);
inline constexpr FamilySet kU65 = family_set(Family::kU65);
inline constexpr FamilySet kU85 = family_set(Family::kU85);
inline constexpr FamilySet kU55U65 = kU55 | kU65;
inline constexpr FamilySet kU65U85 = kU65 | kU85;
inline constexpr FamilySet kAll = kU55 | kU65 | kU85;
}  // namespace families

/// Control bits of the command word: whether a payload word follows. 2 and 3 are not legal.
enum class CommandKind : std::uint8_t { cmd0 = 0, cmd1 = 1 };

/// Bits of a command. Word 1 fields wider than 32 bits continue in word 0 from bit 16.
struct FieldRow {
  FixedText<21> name;
  std::uint8_t word = 0, lsb = 0, width = 0;
  FixedText<21> enumeration = {};  ///< empty: a number

  [[nodiscard]] constexpr std::uint64_t max() const { return (std::uint64_t{1} << width) - 1; }
};

struct CommandRow {
  static constexpr std::size_t kMaxFields = 8;

  FamilySet families = 0;
  CommandKind kind = CommandKind::cmd0;
  std::uint16_t opcode = 0;
  FixedText<27> name;
  std::array<FieldRow, kMaxFields> field_rows{};

  [[nodiscard]] constexpr std::span<const FieldRow> fields() const {
    std::size_t n = 0;
    while (n < kMaxFields && !field_rows[n].name.empty()) ++n;
    return std::span(field_rows).first(n);
  }
  [[nodiscard]] constexpr unsigned words() const { return kind == CommandKind::cmd1 ? 2 : 1; }
  /// Sticky register write, as opposed to an NPU_OP_*.
  [[nodiscard]] constexpr bool is_set() const { return name.view().starts_with("NPU_SET_"); }
};

struct EnumRow {
  static constexpr std::size_t kMaxValues = 24;
  struct Value {
    FixedText<17> name;
    std::uint8_t code = 0;
  };

  FamilySet families = 0;
  FixedText<21> name;
  std::array<Value, kMaxValues> value_rows{};

  [[nodiscard]] constexpr std::span<const Value> values() const {
    std::size_t n = 0;
    while (n < kMaxValues && !value_rows[n].name.empty()) ++n;
    return std::span(value_rows).first(n);
  }
};

namespace detail {
using namespace families;

#define F(name, word, lsb, width) \
  FieldRow {                      \
    #name, word, lsb, width, {}   \
  }
#define E(name, word, lsb, width, enumeration) \
  FieldRow { #name, word, lsb, width, #enumeration }
#define MACAW_COMMAND(set, kind, opcode, name, ...) CommandRow{set, CommandKind::kind, opcode, #name, {{__VA_ARGS__}}},
inline constexpr CommandRow kCommands[] = {
#include "sim/isa/commands.def"
};
#undef MACAW_COMMAND
#undef E
#undef F

#define V(name, code) \
  EnumRow::Value { #name, code }
#define MACAW_ENUM(set, name, ...) EnumRow{set, #name, {{__VA_ARGS__}}},
inline constexpr EnumRow kEnums[] = {
#include "sim/isa/enums.def"
};
#undef MACAW_ENUM
#undef V
}  // namespace detail

[[nodiscard]] constexpr std::span<const CommandRow> commands() { return detail::kCommands; }
[[nodiscard]] constexpr std::span<const EnumRow> enumerations() { return detail::kEnums; }

/// The row of a command word's kind and opcode; nullptr if the family has no such command.
[[nodiscard]] const CommandRow* find_command(Family family, CommandKind kind, unsigned opcode);
[[nodiscard]] constexpr const CommandRow* find_command(Family family, std::string_view name) {
  for (const auto& row : commands())
    if ((row.families & family_set(family)) && row.name == name) return &row;
  return nullptr;
}
[[nodiscard]] constexpr const FieldRow* find_field(const CommandRow& row, std::string_view name) {
  for (const auto& field : row.fields())
    if (field.name == name) return &field;
  return nullptr;
}
[[nodiscard]] constexpr const EnumRow* find_enumeration(Family family, std::string_view name) {
  for (const auto& row : enumerations())
    if ((row.families & family_set(family)) && row.name == name) return &row;
  return nullptr;
}
/// Name of a field's value; empty for numbers and reserved codes.
[[nodiscard]] std::string_view value_name(Family family, const FieldRow& field, std::uint64_t value);
[[nodiscard]] std::optional<std::uint64_t> value_code(Family family, const FieldRow& field, std::string_view name);

/// A field of a register, resolved and checked to exist at compile time.
struct FieldRef {
  const CommandRow* row;
  const FieldRow* field;
};
[[nodiscard]] consteval FieldRef field_of(Family family, std::string_view command, std::string_view name) {
  // Returns from inside the loops: g++ 12 with -fsanitize=undefined does not accept a null test of a pointer into a
  // table as a constant.
  for (const auto& row : commands())
    if ((row.families & family_set(family)) && row.name == command)
      for (const auto& field : row.fields())
        if (field.name == name) return {&row, &field};
  throw "no such command or field in this family";
}

}  // namespace macaw::npu
