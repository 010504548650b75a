#include "sim/isa/command_table.hpp"

#include <algorithm>
#include <map>
#include <unordered_map>

namespace macaw::npu {
namespace {

constexpr std::size_t kOpcodes = 1024;
constexpr std::uint8_t kNoRow = 0xff;
static_assert(std::size(detail::kCommands) < kNoRow);

struct Index {
  std::uint8_t row[3][2][kOpcodes];
};

constexpr Index make_index() {
  Index index{};
  for (auto& family : index.row)
    for (auto& kind : family)
      for (auto& row : kind) row = kNoRow;
  for (std::size_t i = 0; i < std::size(detail::kCommands); ++i) {
    const auto& row = detail::kCommands[i];
    for (unsigned family = 0; family < 3; ++family)
      if (row.families >> family & 1) index.row[family][unsigned(row.kind)][row.opcode] = std::uint8_t(i);
  }
  return index;
}

constexpr Index kIndex = make_index();

}  // namespace

const CommandRow* find_command(Family family, CommandKind kind, unsigned opcode) {
  if (opcode >= kOpcodes) return nullptr;
  const auto i = kIndex.row[unsigned(family)][unsigned(kind)][opcode];
  return i == kNoRow ? nullptr : &detail::kCommands[i];
}

namespace {

/// find_enumeration() with a table that is built once: every register of every operation is looked up.
const EnumRow* enumeration_of(Family family, std::string_view name) {
  using Rows = std::unordered_map<std::string_view, const EnumRow*>;
  static const auto tables = [] {
    std::map<FamilySet, Rows> made;
    for (const auto& row : enumerations())
      for (const auto& known : all_families())
        if (const auto set = family_set(known.family); row.families & set) made[set].emplace(row.name.view(), &row);
    return made;
  }();
  const auto table = tables.find(family_set(family));
  if (table == tables.end()) return nullptr;
  const auto row = table->second.find(name);
  return row == table->second.end() ? nullptr : row->second;
}

}  // namespace

std::string_view value_name(Family family, const FieldRow& field, std::uint64_t value) {
  const auto* row = enumeration_of(family, field.enumeration);
  if (!row) return {};
  for (const auto& entry : row->values())
    if (entry.code == value) return entry.name;
  return {};
}

std::optional<std::uint64_t> value_code(Family family, const FieldRow& field, std::string_view name) {
  const auto* row = enumeration_of(family, field.enumeration);
  if (!row) return {};
  for (const auto& entry : row->values())
    if (entry.name == name) return entry.code;
  return {};
}

}  // namespace macaw::npu
