#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <nlohmann/json.hpp>

#include "app/command.hpp"
#include "base/terminal.hpp"
#include "reference/tosa/operator_table.hpp"
#include "workflow/list/lists.hpp"

namespace macaw::app {
namespace {

using Json = nlohmann::ordered_json;
using list::Rows;

Result<Rows> list_ops() {
  Rows rows;
  for (const auto& row : tosa::operator_rows())
    rows.push_back({{"name", std::string(row.name)},
                    {"type_rows", row.type_rows},
                    {"implemented", row.implemented},
                    {"types", row.types}});
  return rows;
}

struct Kind {
  const char* name;
  const char* text;
  Result<Rows> (*rows)();
};
constexpr Kind kKinds[] = {
    {"accelerators", "NPU configurations", list::accelerators},
    {"commands", "the command set", list::commands},
    {"events", "performance counter events", list::events},
    {"ops", "TOSA operators and their types", list_ops},
    {"params", "constants of the timing model", list::params},
    {"systems", "memory systems around the NPU", list::systems},
};

std::string cell(const Json& value) {
  if (value.is_string()) return value.get<std::string>();
  if (!value.is_array()) return value.dump();
  std::string text;
  for (const auto& element : value) text += (text.empty() ? "" : ", ") + cell(element);
  return text;
}

void print_table(const Rows& rows) {
  if (rows.empty()) return;
  io::TableRows lines(1);
  for (const auto& [key, value] : rows.front().items()) lines[0].push_back(key);
  for (const auto& row : rows) {
    auto& line = lines.emplace_back();
    for (const auto& [key, value] : row.items()) line.push_back(cell(value));
  }
  auto widths = io::column_widths(lines);
  // As many columns as fit; prose is shortened, and what is left over goes to the first columns that need it.
  constexpr std::size_t kMostAtFirst = 24;
  const auto natural = widths;
  const auto total = io::terminal_width();
  std::size_t used = 0, shown = 0;
  for (; shown < widths.size(); ++shown) {
    widths[shown] = std::min(widths[shown], kMostAtFirst);
    if (used + widths[shown] > total) break;
    used += widths[shown] + 2;
  }
  std::string hidden;
  for (std::size_t i = shown; i < lines[0].size(); ++i) hidden += (hidden.empty() ? "" : ", ") + lines[0][i];
  widths.resize(shown);
  for (std::size_t i = 0; i < shown && used < total + 2; ++i) {
    const auto more = std::min(natural[i] - widths[i], total + 2 - used);
    widths[i] += more;
    used += more;
  }
  print_stdout("{}", io::table_text(lines, widths));
  if (!hidden.empty())
    print_stdout("{}\n", io::wrap("Not shown in this width: " + hidden + " (--json has them)", total, 2));
}

int run(const std::string& name, bool json) {
  const auto kind = std::ranges::find(kKinds, name, &Kind::name);
  const auto rows = kind->rows();
  if (!rows) return report_error(rows.error());
  if (json) print_stdout("{}\n", Json(*rows).dump(1));
  else print_table(*rows);
  return kOk;
}

}  // namespace

void add_list(Command app, int& exit_code) {
  auto command = app.add_subcommand("list", "List accelerators, systems, events, operators, commands, parameters");
  command.require_subcommand();
  command.footer(
      "Long texts are shortened to the width of the terminal; --json has them whole.\n"
      "Example: macaw list accelerators --json");
  for (const auto& kind : kKinds) {
    auto one = command.add_subcommand(kind.name, kind.text);
    auto json = std::make_shared<bool>(false);
    one.add_flag("--json", *json, "print JSON");
    one.callback([name = std::string(kind.name), json, &exit_code] { exit_code = run(name, *json); });
    if (std::string_view(kind.name) == "ops")
      one.add_action(
             "--markdown", [] { print_stdout("{}", tosa::operator_table()); },
             "print the support table of docs/OPERATORS.md")
          .excludes("--json");
  }
}

}  // namespace macaw::app
