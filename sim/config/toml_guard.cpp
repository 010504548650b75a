#include "sim/config/toml_guard.hpp"

#include <string>

namespace macaw::npu {

namespace {

/// Tracks whether a key or a value is expected at the position reached.
class KeyOrValue {
 public:
  [[nodiscard]] bool is_key() const { return key_; }

  void pass(char c) {
    if (c == '=') key_ = false;
    if (c == ',') key_ = !open_.empty() && open_.back() == '{';
    if (c == '\n' && open_.empty()) key_ = true;
    if (c == '{' || (c == '[' && !key_)) {
      open_ += c;
      key_ = c == '{';
    }
    if ((c == '}' || c == ']') && !open_.empty()) {
      open_.pop_back();
      key_ = false;
    }
  }

 private:
  bool key_ = true;
  std::string open_;  // open brackets of values
};

/// Whether the parser would read `c` after `last` as part of a value, where it is not allowed.
bool ends_no_value(char c, char last, bool is_key) {
  if (c == '=') return !is_key;
  if (c == '[' || c == '{') return std::string_view("=[,\n").find(last) == std::string_view::npos;
  return (c == '"' || c == '\'') && last == '.' && !is_key;
}

}  // namespace

std::optional<UnsafeToml> unsafe_toml(std::string_view text) {
  constexpr std::string_view kCharacter = "a character that only a text or a comment may have";
  constexpr std::string_view kEscaped = "behind a backslash, and blanks perhaps, a character beyond ASCII";
  constexpr std::string_view kBeforeText = "=[,{.\n";  // characters before a string, except spaces
  constexpr std::size_t kMostDots = 31;                // values are nested at most 256 deep
  constexpr char kOutside = 0, kComment = '#';
  char in = kOutside;      // quote of the current string, or kComment
  std::size_t quotes = 0;  // 1 or 3 quotes end the current string
  char last = '\n';        // outside of strings and comments, without spaces
  KeyOrValue place;
  std::size_t line = 1, dots = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    const auto byte = static_cast<unsigned char>(c);
    if ((byte < 0x20 && c != '\t' && c != '\n' && c != '\r') || byte == 0x7f) return UnsafeToml{line, kCharacter};
    if (c == '\n') {
      ++line;
      if (in == kComment || quotes == 1) in = kOutside;
    }
    if (in == kOutside) {
      if (byte > 0x7f) return UnsafeToml{line, kCharacter};
      if (std::string_view("=,[]{}\n").find(c) != std::string_view::npos) dots = 0;
      if (c == '.' && ++dots > kMostDots) return UnsafeToml{line, "a key of more than 32 parts"};
      if (ends_no_value(c, last, place.is_key())) return UnsafeToml{line, "a value that goes on where it has to end"};
      place.pass(c);
      if (c == '#') in = kComment;
      if (c != '"' && c != '\'') {
        if (c != ' ' && c != '\t' && c != '\r') last = c;
        continue;
      }
      if (kBeforeText.find(last) == kBeforeText.npos) return UnsafeToml{line, "a quote where no text can begin"};
      in = c;
      quotes = text.substr(i, 3) == std::string_view(c == '"' ? "\"\"\"" : "'''") ? 3 : 1;
      i += quotes - 1;
    } else if (c == '\\' && in == '"') {
      // A backslash at the end of a line skips the whitespace up to the next character.
      const auto next = quotes == 3 ? text.find_first_not_of(" \t\r\n", i + 1) : i + 1;
      if (next < text.size() && static_cast<unsigned char>(text[next]) > 0x7f) return UnsafeToml{line, kEscaped};
      if (i + 1 < text.size() && text[i + 1] != '\n') ++i;
    } else if (c == in && in != kComment) {
      if (quotes == 3 && text.substr(i, 3) != std::string_view(c == '"' ? "\"\"\"" : "'''")) continue;
      i += quotes - 1;
      // Up to two quotes may be the last characters of the string.
      for (int more = 0; quotes == 3 && more < 2 && i + 1 < text.size() && text[i + 1] == c; ++more) ++i;
      in = kOutside;
      last = c;
    }
  }
  return {};
}

}  // namespace macaw::npu
