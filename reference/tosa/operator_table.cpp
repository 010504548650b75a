#include "reference/tosa/operator_table.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <vector>

#include "reference/tosa/op/def.hpp"
#include "reference/tosa/op/float_rows.hpp"

namespace macaw::tosa {
namespace {

/// Rows that differ in the types of any variables whose every combination is there: types by variable.
struct Group {
  std::vector<std::vector<DType>> types;
  std::string support;
  int since_minor;
  bool implemented;
};

bool same_but(const Group& a, const Group& b, std::size_t variable) {
  if (a.support != b.support || a.since_minor != b.since_minor || a.implemented != b.implemented) return false;
  for (std::size_t i = 0; i < a.types.size(); ++i)
    if (i != variable && a.types[i] != b.types[i]) return false;
  return true;
}

/// Requirements of a row. Most rows of block-scaled tensors, of which there are hundreds, have the requirements of
/// their types.
std::string needs_of(const tosa::Definition& definition, const tosa::TypeRow& row) {
  const std::span types(row.types.data(), definition.type_variables.size());
  tosa::ProfileMask deduced = 0;
  for (const auto type : types) deduced |= tosa::support_of(type).any[0];
  const bool only = row.support.any[0] == deduced && row.support.any[1] == 0;
  return only && std::ranges::any_of(types, is_block_scale) ? "what its types need" : to_string(row.support);
}

std::vector<Group> groups_of(const tosa::Definition& definition) {
  std::vector<Group> groups;
  for (const auto& row : definition.rows) {
    Group group{{}, needs_of(definition, row), row.since_minor, row.kernel != nullptr};
    for (std::size_t i = 0; i < definition.type_variables.size(); ++i) group.types.push_back({row.types[i]});
    groups.push_back(std::move(group));
  }
  for (std::size_t variable = definition.type_variables.size(); variable-- > 0;) {
    std::vector<Group> merged;
    for (auto& group : groups) {
      const auto into =
          std::ranges::find_if(merged, [&](const Group& other) { return same_but(other, group, variable); });
      if (into == merged.end()) merged.push_back(std::move(group));
      else into->types[variable].push_back(group.types[variable].front());
    }
    groups = std::move(merged);
  }
  return groups;
}

std::string names_of(const std::vector<DType>& types) {
  std::vector<std::string> names;
  for (const auto type : types) names.emplace_back(type == tosa::kNoType ? "-" : to_string(type));
  return fmt::format("{}", fmt::join(names, ", "));
}

/// Requirements of a type (DEDUCE-EXT of tosa.xml).
std::string needs_of_types() {
  std::string text =
      "\nA row of block-scaled tensors that says \"what its types need\" needs all of:\n\n| type | needs "
      "|\n|---|---|\n";
  for (const auto type : tosa::kProductTypes)
    text += fmt::format("| {} | {} |\n", to_string(type), to_string(tosa::support_of(type)));
  return text;
}

std::string section(const tosa::Definition& definition) {
  std::string text = fmt::format("\n### {}\nSince 1.{}.", to_string(definition.op), tosa::since_minor(definition.op));
  if (definition.type_variables.empty()) return text + "\n";
  text += "\n\n|";
  for (const auto variable : definition.type_variables) text += fmt::format(" {} |", variable);
  text += " needs | since |\n|";
  for (std::size_t i = 0; i < definition.type_variables.size() + 2; ++i) text += "---|";
  text += "\n";
  for (const auto& group : groups_of(definition)) {
    text += "|";
    for (const auto& types : group.types) text += fmt::format(" {} |", names_of(types));
    text +=
        fmt::format(" {} | 1.{}{} |\n", group.support, group.since_minor, group.implemented ? "" : ", not implemented");
  }
  return text;
}

}  // namespace

std::string operator_table() {
  std::string text =
      "# Operators\n\nTOSA operators that Macaw supports, from its definitions: `macaw list ops --markdown` prints "
      "this file. A "
      "row "
      "stands for every combination\nof the types in it. Graphs of 0.80 use the rows since 1.0.\n";
  text += needs_of_types();
  std::vector<std::string_view> missing;
  std::string_view chapter;
  for (const auto op : tosa::all_ops()) {
    const auto* definition = tosa::find_definition(op);
    if (!definition) {
      missing.push_back(to_string(op));
      continue;
    }
    if (tosa::chapter(op) != chapter) text += fmt::format("\n## {}\n", chapter = tosa::chapter(op));
    text += section(*definition);
  }
  if (!missing.empty()) text += fmt::format("\n## Not there\n{}\n", fmt::join(missing, ", "));
  return text;
}

std::vector<OperatorRow> operator_rows() {
  std::vector<OperatorRow> rows;
  for (const auto* definition : definitions()) {
    OperatorRow operator_row{to_string(definition->op), definition->rows.size(), 0, {}};
    for (const auto& row : definition->rows) {
      std::string text;
      for (std::size_t i = 0; i < definition->type_variables.size() && i < row.types.size(); ++i)
        if (row.types[i] != kNoType)
          text += fmt::format("{}{}={}", i ? " " : "", definition->type_variables[i], to_string(row.types[i]));
      operator_row.types.push_back(fmt::format("{} ({}, since 1.{})", text, to_string(row.support), row.since_minor));
      operator_row.implemented += row.kernel != nullptr;
    }
    rows.push_back(std::move(operator_row));
  }
  return rows;
}

}  // namespace macaw::tosa
