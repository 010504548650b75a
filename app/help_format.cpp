#include "app/help_format.hpp"

#include <algorithm>
#include <vector>

#include "app/value_names.hpp"
#include "base/terminal.hpp"

namespace macaw::app {
namespace {

constexpr std::size_t kMostWidth = 100, kMostNames = 26;

/// Name and description of an entry.
struct Row {
  std::string names, text;
};
struct Group {
  std::string heading;
  std::vector<Row> rows;
};

/// The length of the value's name in CLI11's description of the type, in which checks follow a colon. A name may
/// contain a colon: "IN=LEAST:MOST".
std::size_t name_length(const CLI::Option& option, const std::string& type) {
  for (const auto* names : {&option.get_lnames(), &option.get_snames()})
    for (const auto& text : *names) {
      const auto value = value_name_of(text);
      if (type.starts_with(value) && (type.size() == value.size() || type[value.size()] == ':')) return value.size();
    }
  return std::min(type.find(':'), type.size());
}

bool takes_value(const CLI::Option& option) { return option.get_expected_max() != 0; }

std::string names_of(const CLI::Option& option) {
  if (option.get_positional() && option.get_lnames().empty()) return option.get_name(true);
  std::string names;
  for (const auto& name : option.get_snames()) names += "-" + name;
  for (const auto& name : option.get_lnames()) names += (names.empty() ? "    --" : ", --") + name;
  if (takes_value(option)) names += " " + value_name(option);
  if (option.get_expected_max() == CLI::detail::expected_max_vector_size) names += " ...";
  return names;
}

std::string text_of(const CLI::Option& option) {
  auto text = option.get_description();
  std::vector<std::string> remarks;
  if (const auto accepted = accepted_values(option); !accepted.empty()) remarks.push_back(accepted);
  for (const auto* other : option.get_excludes()) remarks.push_back("not with " + other->get_name());
  if (option.get_required() && option.nonpositional()) remarks.emplace_back("required");
  for (std::size_t i = 0; i < remarks.size(); ++i) text += (i == 0 ? " (" : "; ") + remarks[i];
  return remarks.empty() ? text : text + ")";
}

std::vector<Group> groups_of(const CLI::App& app) {
  std::vector<Group> groups;
  const auto add = [&](const std::string& heading, Row row) {
    auto group = std::ranges::find(groups, heading, &Group::heading);
    if (group == groups.end()) group = groups.insert(groups.end(), Group{heading, {}});
    group->rows.push_back(std::move(row));
  };
  for (const auto* option : app.get_options({}))
    if (!option->get_group().empty() && option->get_positional())
      add("Arguments", {names_of(*option), text_of(*option)});
  for (const auto* option : app.get_options({}))
    if (!option->get_group().empty() && option->nonpositional())
      add(option->get_group(), {names_of(*option), text_of(*option)});
  for (const auto* command : app.get_subcommands({}))
    if (!command->get_group().empty())
      add(command->get_group() == "Subcommands" ? "Commands" : command->get_group(),
          {command->get_name(), command->get_description()});
  return groups;
}

}  // namespace

std::string value_name(const CLI::Option& option) {
  const auto type = option.get_type_name();
  const auto name = type.substr(0, name_length(option, type));
  return name == "UINT" || name == "INT" ? "N" : name;
}

std::string accepted_values(const CLI::Option& option) {
  const auto type = option.get_type_name();
  const auto length = name_length(option, type);
  if (length >= type.size()) return {};
  auto checks = type.substr(length + 1);
  if (checks.starts_with('{')) checks = checks.substr(1, checks.find('}') - 1);
  // The list of words is left out if the description explains each of them.
  const auto words = CLI::detail::split(checks, ',');
  const auto& description = option.get_description();
  const bool is_said =
      std::ranges::all_of(words, [&](const auto& word) { return description.find(word) != description.npos; });
  std::string spaced;
  for (const auto& word : words) spaced += (spaced.empty() ? "" : ", ") + word;
  return is_said ? "" : spaced;
}

std::string HelpFormatter::make_help(const CLI::App* app, std::string name, CLI::AppFormatMode) const {
  const auto width = std::min(io::terminal_width(), kMostWidth);
  const auto groups = groups_of(*app);
  std::size_t column = 0;
  for (const auto& group : groups)
    for (const auto& row : group.rows) column = std::max(column, std::min(row.names.size(), kMostNames));
  column += 4;
  auto text = io::wrap(app->get_description(), width) + "\n" + io::wrap(make_usage(app, std::move(name)), width, 2);
  while (text.ends_with(' ') || text.ends_with('\n')) text.pop_back();
  text += "\n";
  for (const auto& group : groups) {
    text += "\n" + io::styled(group.heading + ":", io::Style::kBold) + "\n";
    for (const auto& row : group.rows) {
      auto line = "  " + row.names;
      if (line.size() + 2 > column) line += "\n" + std::string(column, ' ');
      else line.append(column - line.size(), ' ');
      // The text is wrapped as if it began at the left margin, then indented.
      const auto wrapped = io::wrap(std::string(column, 'x') + row.text, width, column);
      text += line + wrapped.substr(column) + "\n";
    }
  }
  return text + "\n" + make_footer(app);
}

}  // namespace macaw::app
