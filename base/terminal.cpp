#include "base/terminal.hpp"

#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <numeric>

#include "base/number_text.hpp"
#include "base/platform/files.hpp"

namespace macaw::io {
namespace {

constexpr std::size_t kUnknownWidth = 80, kLeastWidth = 40, kMostWidth = 10'000, kGap = 2;

bool is_utf8_tail(char c) { return (static_cast<unsigned char>(c) & 0xC0) == 0x80; }

/// The first `width` columns.
std::string_view head(std::string_view text, std::size_t width) {
  std::size_t at = 0, seen = 0;
  for (; at < text.size(); ++at)
    if (!is_utf8_tail(text[at]) && seen++ == width) break;
  return text.substr(0, at);
}

}  // namespace

std::size_t terminal_width() {
  if (const char* given = std::getenv("COLUMNS"))
    if (const auto columns = number_of<std::size_t>(given); columns && *columns > 0)
      return std::clamp(*columns, kLeastWidth, kMostWidth);
  const auto columns = platform::window_columns();
  return columns ? std::max(*columns, kLeastWidth) : kUnknownWidth;
}

bool uses_colour(std::FILE* file) {
  const char* no_colour = std::getenv("NO_COLOR");
  return (no_colour == nullptr || *no_colour == '\0') && ::isatty(::fileno(file)) == 1;
}

std::string styled(std::string_view text, Style style) {
  if (!uses_colour(stdout)) return std::string(text);
  constexpr const char* kCodes[] = {"\033[1m", "\033[31m", "\033[32m", "\033[33m"};
  return kCodes[static_cast<int>(style)] + std::string(text) + "\033[0m";
}

std::size_t display_width(std::string_view text) {
  return static_cast<std::size_t>(std::ranges::count_if(text, [](char c) { return !is_utf8_tail(c); }));
}

std::string shorten_middle(std::string_view text, std::size_t width) {
  const auto whole = display_width(text);
  if (whole <= width) return std::string(text);
  constexpr std::string_view kDots = "...";
  if (width <= kDots.size()) return std::string(head(text, width));
  const auto kept = width - kDots.size(), front = (kept + 1) / 2;
  return std::string(head(text, front)) + std::string(kDots) +
         std::string(text.substr(head(text, whole - (kept - front)).size()));
}

std::string fit(std::string_view text, std::size_t width) {
  auto shown = shorten_middle(text, width);
  shown.append(width - display_width(shown), ' ');
  return shown;
}

std::string wrap(std::string_view text, std::size_t width, std::size_t indent) {
  std::string out;
  std::size_t column = 0;
  bool at_start = true;
  const auto next_line = [&] {
    out += "\n" + std::string(indent, ' ');
    column = indent;
    at_start = true;
  };
  for (std::size_t at = 0; at <= text.size();) {
    const auto end = std::min(text.find_first_of(" \n", at), text.size());
    const auto word = text.substr(at, end - at);
    const auto length = display_width(word);
    if (!at_start && column + 1 + length > width) next_line();
    if (!at_start) {
      out += ' ';
      ++column;
    }
    out += word;
    column += length;
    at_start = false;
    if (end < text.size() && text[end] == '\n') next_line();
    at = end + 1;
  }
  return out;
}

std::vector<std::size_t> fit_columns(std::vector<std::size_t> widths, std::size_t total, std::size_t least) {
  if (widths.empty()) return widths;
  const auto gaps = kGap * (widths.size() - 1);
  auto sum = std::accumulate(widths.begin(), widths.end(), gaps);
  while (sum > total) {
    const auto widest = std::ranges::max_element(widths);
    if (*widest <= least) break;
    --*widest;
    --sum;
  }
  return widths;
}

std::vector<std::size_t> column_widths(const TableRows& rows) {
  std::vector<std::size_t> widths;
  for (const auto& row : rows) {
    widths.resize(std::max(widths.size(), row.size()));
    for (std::size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], display_width(row[i]));
  }
  return widths;
}

std::string table_text(const TableRows& rows, const std::vector<std::size_t>& widths,
                       const std::vector<bool>& to_the_right) {
  std::string text;
  for (const auto& row : rows) {
    std::string line;
    for (std::size_t i = 0; i < std::min(row.size(), widths.size()); ++i) {
      auto cell = fit(row[i], widths[i]);
      if (i < to_the_right.size() && to_the_right[i])
        std::ranges::rotate(cell, cell.begin() + static_cast<std::ptrdiff_t>(cell.find_last_not_of(' ') + 1));
      if (i != 0) line.append(kGap, ' ');
      line += cell;
    }
    text += line.substr(0, line.find_last_not_of(' ') + 1) + '\n';
  }
  return text;
}

}  // namespace macaw::io
