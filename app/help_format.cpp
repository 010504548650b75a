#include "app/help_format.hpp"

#include <algorithm>
#include <vector>

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

/// The range or the words of a check, which CLI11 puts behind the name of the type: "TEXT:{on,off}", "N:0 to 256".
std::string checks_of(const CLI::Option& option) {
  const auto type = option.get_type_name();
  const auto colon = type.find(':');
  if (colon == type.npos) return {};
  auto checks = type.substr(colon + 1);
  if (checks.starts_with('{')) checks = checks.substr(1, checks.find('}') - 1);
  std::string spaced;
  for (const char c : checks) spaced += c == ',' ? ", " : std::string(1, c);
  // Not what the description says already.
  const auto first = checks.substr(0, checks.find_first_of(", "));
  return option.get_description().find(first) != std::string::npos ? "" : spaced;
}

std::string text_of(const CLI::Option& option) {
  auto text = option.get_description();
  std::vector<std::string> remarks;
  if (const auto checks = checks_of(option); !checks.empty()) remarks.push_back(checks);
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
  const auto name = type.substr(0, type.find(':'));
  return name == "UINT" || name == "INT" ? "N" : name;
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
      // The text is wrapped as if it began at the left margin, then moved to its column.
      const auto wrapped = io::wrap(std::string(column, 'x') + row.text, width, column);
      text += line + wrapped.substr(column) + "\n";
    }
  }
  return text + "\n" + make_footer(app);
}

}  // namespace macaw::app
