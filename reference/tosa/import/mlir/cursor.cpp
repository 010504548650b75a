#include "reference/tosa/import/mlir/cursor.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <charconv>

namespace macaw::tosa::mlir {
namespace {

bool is_letter(char c) { return std::isalpha(static_cast<unsigned char>(c)) != 0 || c == '_'; }
bool is_digit(char c) { return std::isdigit(static_cast<unsigned char>(c)) != 0; }
bool is_word(char c) { return is_letter(c) || is_digit(c); }

}  // namespace

void Cursor::skip() {
  for (;;) {
    while (at_ < text_.size() && std::isspace(static_cast<unsigned char>(text_[at_]))) ++at_;
    if (!text_.substr(at_).starts_with("//")) return;
    at_ = std::min(text_.find('\n', at_), text_.size());
  }
}

bool Cursor::at_end() { return next() == '\0' && at_ == text_.size(); }

char Cursor::next() {
  skip();
  return at_ < text_.size() ? text_[at_] : '\0';
}

bool Cursor::peek(std::string_view token) {
  skip();
  if (!text_.substr(at_).starts_with(token)) return false;
  const auto end = at_ + token.size();
  return !is_word(token.back()) || end == text_.size() || !is_word(text_[end]);
}

bool Cursor::take(std::string_view token) {
  if (!peek(token)) return false;
  at_ += token.size();
  return true;
}

Result<void> Cursor::expect(std::string_view token) {
  if (!take(token)) return expected(fmt::format("'{}'", token));
  return {};
}

std::string Cursor::identifier() {
  if (!is_letter(next())) return {};
  const auto begin = at_;
  while (at_ < text_.size() && (is_word(text_[at_]) || text_[at_] == '.' || text_[at_] == '$')) ++at_;
  return std::string(text_.substr(begin, at_ - begin));
}

Result<std::string> Cursor::suffix() {
  if (at_ < text_.size() && text_[at_] == '"') return quoted();
  const auto begin = at_;
  while (at_ < text_.size() && (is_word(text_[at_]) || text_[at_] == '.' || text_[at_] == '$' || text_[at_] == '-'))
    ++at_;
  if (at_ == begin) return expected("a name");
  return std::string(text_.substr(begin, at_ - begin));
}

Result<std::string> Cursor::quoted() {
  MACAW_CHECK(expect("\""));
  std::string read;
  const auto hex = [&](std::size_t at) {
    return at < text_.size() && std::isxdigit(static_cast<unsigned char>(text_[at]));
  };
  for (; at_ < text_.size() && text_[at_] != '"'; ++at_) {
    if (text_[at_] != '\\') {
      read.push_back(text_[at_]);
      continue;
    }
    ++at_;
    const char c = at_ < text_.size() ? text_[at_] : '\0';
    if (c == 'n' || c == 't') {
      read.push_back(c == 'n' ? '\n' : '\t');
    } else if (c == '"' || c == '\\') {
      read.push_back(c);
    } else if (hex(at_) && hex(at_ + 1)) {
      unsigned byte = 0;
      std::from_chars(text_.data() + at_, text_.data() + at_ + 2, byte, 16);
      read.push_back(static_cast<char>(byte));
      ++at_;
    } else {
      return expected("an escape of a text");
    }
  }
  if (at_ == text_.size()) return expected("the text's closing quote");
  ++at_;
  return read;
}

Result<std::string> Cursor::number() {
  const char first = next();
  const auto begin = at_;
  if (first == '-' || first == '+') ++at_;
  while (at_ < text_.size()) {
    const char c = text_[at_], before = at_ > begin ? text_[at_ - 1] : '\0';
    const bool sign = (c == '-' || c == '+') && (before == 'e' || before == 'E');
    if (!is_word(c) && c != '.' && !sign) break;
    ++at_;
  }
  const auto spelled = text_.substr(begin, at_ - begin);
  const auto digits = spelled.substr(spelled.starts_with('-') || spelled.starts_with('+') ? 1 : 0);
  if (!digits.empty() && is_digit(digits.front())) return std::string(spelled);
  at_ = begin;
  return expected("a number");
}

Result<std::int64_t> Cursor::integer() {
  const auto begin = at_;
  MACAW_ASSIGN(const auto spelled, number());
  std::int64_t value = 0;
  const auto [end, problem] = std::from_chars(spelled.data(), spelled.data() + spelled.size(), value);
  if (problem == std::errc() && end == spelled.data() + spelled.size()) return value;
  at_ = begin;
  return expected("a whole number below 2^63");
}

Result<std::string_view> Cursor::until_closed(char open, char close) {
  const auto begin = at_;
  for (int depth = 1; at_ < text_.size(); ++at_) {
    const char c = text_[at_];
    if (c == '"') {
      MACAW_CHECK(quoted());
      --at_;
    } else if (c == open) {
      ++depth;
    } else if (c == close && (c != '>' || text_[at_ - 1] != '-') && --depth == 0) {
      ++at_;
      return text_.substr(begin, at_ - 1 - begin);
    }
  }
  return expected(fmt::format("'{}'", close));
}

tl::unexpected<Error> Cursor::expected(std::string_view what) const {
  return error(ErrorCode::kInvalidFile, fmt::format("expected {}", what));
}

tl::unexpected<Error> Cursor::error(ErrorCode code, std::string message) const {
  const auto before = text_.substr(0, at_);
  const auto line = 1 + std::ranges::count(before, '\n');
  const auto start = before.rfind('\n');
  const auto column = at_ - (start == std::string_view::npos ? 0 : start + 1) + 1;
  return fail(code, fmt::format("line {}, column {}: {}", line, column, message), {.file = name_});
}

}  // namespace macaw::tosa::mlir
