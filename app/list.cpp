#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <nlohmann/json.hpp>

#include "app/command.hpp"
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
  std::vector<std::size_t> widths;
  for (const auto& [key, value] : rows.front().items()) widths.push_back(key.size());
  for (const auto& row : rows) {
    std::size_t i = 0;
    for (const auto& [key, value] : row.items()) {
      widths[i] = std::max(widths[i], cell(value).size());
      ++i;
    }
  }
  const auto print_line = [&](const auto& text_of, const Json& row) {
    std::string line;
    std::size_t i = 0;
    for (const auto& [key, value] : row.items()) {
      const bool last = i + 1 == widths.size();
      line += last ? text_of(key, value) : fmt::format("{:<{}}  ", text_of(key, value), widths[i]);
      ++i;
    }
    print_stdout("{}\n", std::string_view(line).substr(0, line.find_last_not_of(' ') + 1));
  };
  print_line([](const std::string& key, const Json&) { return key; }, rows.front());
  for (const auto& row : rows) print_line([](const std::string&, const Json& value) { return cell(value); }, row);
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
  command.footer("Example: macaw list accelerators --json");
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
