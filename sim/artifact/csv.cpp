#include "sim/artifact/csv.hpp"

#include <algorithm>

namespace macaw::npu {
namespace {

/// Removes one line of cells from the start of `text`.
std::vector<std::string> take_line(std::string_view& text) {
  std::vector<std::string> cells(1);
  bool quoted = false;
  std::size_t at = 0;
  for (; at < text.size(); ++at) {
    const char c = text[at];
    if (c == '"') {
      const bool doubled = quoted && at + 1 < text.size() && text[at + 1] == '"';
      if (doubled) cells.back() += text[++at];
      else quoted = !quoted;
    } else if (!quoted && c == ',') {
      cells.emplace_back();
    } else if (!quoted && c == '\n') {
      break;
    } else if (quoted || c != '\r') {
      cells.back() += c;
    }
  }
  text.remove_prefix(std::min(at + 1, text.size()));
  return cells;
}

}  // namespace

std::optional<std::size_t> CsvTable::column(std::string_view name) const {
  const auto at = std::ranges::find(columns, name);
  if (at == columns.end()) return std::nullopt;
  return static_cast<std::size_t>(at - columns.begin());
}

CsvTable parse_csv(std::string_view text) {
  CsvTable table;
  while (!text.empty()) {
    auto cells = take_line(text);
    if (cells.size() == 1 && cells[0].find_first_not_of(" \t") == std::string::npos) continue;
    if (table.columns.empty()) table.columns = std::move(cells);
    else table.rows.push_back(std::move(cells));
  }
  return table;
}

}  // namespace macaw::npu
