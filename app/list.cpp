#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <memory>
#include <nlohmann/json.hpp>
#include <numeric>
#include <sstream>

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
  std::vector<std::string> columns;  ///< columns for a terminal that is too narrow for all
};
const std::array<Kind, 6>& kinds() {
  static const std::array<Kind, 6> kKinds{{
      {"accelerators",
       "NPU configurations",
       list::accelerators,
       {"name", "macs", "cores", "shram_kib", "weight_decoders", "ofm_ublocks"}},
      {"commands", "the command set", list::commands, {"name", "npu", "kind", "opcode", "fields"}},
      {"events", "performance counter events", list::events, {"number", "name", "npu", "meaning"}},
      {"ops", "TOSA operators and their types", list_ops, {"name", "type_rows", "implemented"}},
      {"params", "constants of the timing model", list::params, {"name", "unit", "text"}},
      {"systems", "memory systems around the NPU", list::systems, {"name", "clock_hz", "accelerators", "description"}},
  }};
  return kKinds;
}

std::string cell(const Json& value) {
  if (value.is_string()) return value.get<std::string>();
  if (!value.is_array()) return value.dump();
  std::string text;
  for (const auto& element : value) text += (text.empty() ? "" : ", ") + cell(element);
  return text;
}

constexpr std::string_view kClock = "clock_hz";

std::string heading(const std::string& column) { return column == kClock ? "clock" : column; }

std::string cell(const std::string& column, const Json& row) {
  if (column == kClock) return fmt::format("{:g} MHz", row.at(column).get<double>() / 1e6);
  return cell(row.at(column));
}

/// The lines of a text that is wrapped at blanks; words longer than a line are shortened.
std::vector<std::string> broken(const std::string& text, std::size_t width) {
  std::vector<std::string> lines;
  std::istringstream wrapped(io::wrap(text, width));
  for (std::string line; std::getline(wrapped, line);) lines.push_back(io::fit(line, width));
  return lines;
}

/// A column of the table: its heading, then a cell for each row.
using Column = std::vector<std::string>;

std::vector<Column> columns_of(const Rows& rows, const std::vector<std::string>& names) {
  std::vector<Column> columns;
  for (const auto& name : names) {
    auto& column = columns.emplace_back();
    column.push_back(heading(name));
    for (const auto& row : rows) column.push_back(cell(name, row));
  }
  return columns;
}

/// Widths at which no cell is wrapped.
std::vector<std::size_t> natural_widths(const std::vector<Column>& columns) {
  std::vector<std::size_t> widths;
  for (const auto& column : columns) {
    widths.push_back(0);
    for (const auto& text : column) widths.back() = std::max(widths.back(), io::display_width(text));
  }
  return widths;
}

void print_row(const std::vector<Column>& columns, const std::vector<std::size_t>& widths, std::size_t row) {
  std::vector<std::vector<std::string>> cells;
  std::size_t height = 1;
  for (std::size_t i = 0; i < columns.size(); ++i) {
    cells.push_back(broken(columns[i][row], widths[i]));
    height = std::max(height, cells.back().size());
  }
  for (std::size_t line = 0; line < height; ++line) {
    std::string text;
    for (std::size_t i = 0; i < cells.size(); ++i)
      text += (i == 0 ? "" : "  ") + (line < cells[i].size() ? cells[i][line] : std::string(widths[i], ' '));
    print_stdout("{}\n", std::string_view(text).substr(0, text.find_last_not_of(' ') + 1));
  }
}

/// All columns if they fit side by side, else those of `narrow`, whose longest cells are wrapped.
void print_table(const Rows& rows, const std::vector<std::string>& narrow) {
  if (rows.empty()) return;
  // Accelerators are listed one per line, which leaves room for prose.
  constexpr std::size_t kListWidth = 16, kLeastProse = 16, kLeast = 3;
  std::vector<std::string> names;
  for (const auto& [key, value] : rows.front().items()) names.push_back(key);
  const auto total = io::terminal_width();
  auto columns = columns_of(rows, names);
  auto widths = natural_widths(columns);
  std::string hidden;
  if (std::accumulate(widths.begin(), widths.end(), 2 * (widths.size() - 1)) > total) {
    for (const auto& name : names)
      if (std::ranges::find(narrow, name) == narrow.end()) hidden += (hidden.empty() ? "" : ", ") + name;
    columns = columns_of(rows, narrow);
    widths = natural_widths(columns);
    for (std::size_t i = 0; i + 1 < narrow.size(); ++i)
      if (narrow[i] == "accelerators") widths[i] = std::min(widths[i], kListWidth);
    // Names stay on one line as long as there is room for the last column.
    const auto others = std::accumulate(widths.begin(), widths.end() - 1, 2 * (widths.size() - 1));
    widths.back() = std::min(widths.back(), std::max(kLeastProse, total - std::min(total, others)));
    widths = io::fit_columns(widths, total, kLeast);
  }
  for (std::size_t row = 0; row <= rows.size(); ++row) print_row(columns, widths, row);
  if (!hidden.empty())
    print_stdout("{}\n", io::wrap("Not shown in this width: " + hidden + " (--json has them)", total, 2));
}

int run(const std::string& name, bool json) {
  const auto kind = std::ranges::find(kinds(), name, &Kind::name);
  const auto rows = kind->rows();
  if (!rows) return report_error(rows.error());
  if (json) print_stdout("{}\n", Json(*rows).dump(1));
  else print_table(*rows, kind->columns);
  return kOk;
}

}  // namespace

void add_list(Command app, int& exit_code) {
  auto command = app.add_subcommand("list", "List accelerators, systems, events, operators, commands, parameters");
  command.require_subcommand();
  command.footer(
      "A terminal that is too narrow for all columns shows the most important ones; --json has all of them.\n"
      "Example: macaw list accelerators --json");
  for (const auto& kind : kinds()) {
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
