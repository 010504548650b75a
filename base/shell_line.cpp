#include "base/shell_line.hpp"

#include <algorithm>
#include <cctype>

namespace macaw::io {
namespace {

bool is_plain(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 ||
         std::string_view("_./=:+,-@%").find(c) != std::string_view::npos;
}

}  // namespace

std::string in_single_quotes(std::string_view word) {
  std::string quoted = "'";
  for (const char c : word) quoted += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return quoted + "'";
}

std::string shell_line(const std::vector<std::string>& words) {
  std::string line;
  for (const auto& word : words) {
    if (!line.empty()) line += ' ';
    line += !word.empty() && std::ranges::all_of(word, is_plain) ? word : in_single_quotes(word);
  }
  return line;
}

}  // namespace macaw::io
