#include "base/c_array.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>

#include "base/file.hpp"

namespace macaw::io {
namespace {

bool is_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

/// Tokens of a C source, comments, preprocessor lines and the insides of string literals left out.
class Scanner {
 public:
  explicit Scanner(std::string_view text) : text_(text) {}

  /// The next word, number or character; empty at the end.
  std::string_view next() {
    while (at_ < text_.size() && skipped()) {
    }
    const std::size_t begin = at_;
    if (at_ < text_.size() && !is_word(text_[at_++])) return text_.substr(begin, 1);
    while (at_ < text_.size() && is_word(text_[at_])) ++at_;
    return text_.substr(begin, at_ - begin);
  }

 private:
  void skip_past(std::string_view end) {
    const std::size_t found = text_.find(end, at_);
    at_ = found == std::string_view::npos ? text_.size() : found + end.size();
  }

  /// Skips one thing that is not a token.
  bool skipped() {
    const char c = text_[at_];
    const std::string_view rest = text_.substr(at_);
    if (std::isspace(static_cast<unsigned char>(c)) != 0) {
      ++at_;
    } else if (rest.starts_with("//") || c == '#') {
      skip_past("\n");
    } else if (rest.starts_with("/*")) {
      at_ += 2;
      skip_past("*/");
    } else if (c == '"') {
      for (++at_; at_ < text_.size() && text_[at_] != '"'; ++at_)
        if (text_[at_] == '\\') ++at_;
      at_ = std::min(at_ + 1, text_.size());
    } else {
      return false;
    }
    return true;
  }

  std::string_view text_;
  std::size_t at_ = 0;
};

/// A literal, with the suffixes of C; none if it is not an integer of a byte.
std::optional<std::byte> byte_of(std::string_view literal, bool negative) {
  while (!literal.empty() && std::string_view("uUlL").find(literal.back()) != std::string_view::npos)
    literal.remove_suffix(1);
  const bool hexadecimal = literal.starts_with("0x") || literal.starts_with("0X");
  const bool octal = !hexadecimal && literal.size() > 1 && literal.front() == '0';
  if (hexadecimal) literal.remove_prefix(2);
  unsigned value = 0;
  const char* const end = literal.data() + literal.size();
  const auto read = std::from_chars(literal.data(), end, value, hexadecimal ? 16 : octal ? 8 : 10);
  if (read.ec != std::errc() || read.ptr != end || value > (negative ? 128u : 255u)) return {};
  return static_cast<std::byte>(negative ? 256 - value : value);
}

/// The elements up to the brace that closes an initializer; none if one of them is something else.
std::optional<std::vector<std::byte>> elements(Scanner& in) {
  std::vector<std::byte> bytes;
  bool negative = false, is_separated = true;
  for (std::string_view token = in.next(); !token.empty(); token = in.next()) {
    if (token == "}") return bytes;
    if (token == ",") {
      is_separated = true;
    } else if (token == "-" && is_separated && !negative) {
      negative = true;
    } else {
      const auto byte = is_separated ? byte_of(token, negative) : std::nullopt;
      if (!byte) return {};
      bytes.push_back(*byte);
      negative = is_separated = false;
    }
  }
  return {};
}

}  // namespace

std::optional<std::vector<std::byte>> c_array(std::string_view source) {
  std::optional<std::vector<std::byte>> longest;
  Scanner in(source);
  bool is_initialized = false;
  for (std::string_view token = in.next(); !token.empty(); token = in.next()) {
    if (token == "{" && is_initialized) {
      auto bytes = elements(in);
      if (bytes && !bytes->empty() && (!longest || bytes->size() > longest->size())) longest = std::move(bytes);
    }
    is_initialized = token == "=";
  }
  return longest;
}

Result<std::vector<std::byte>> read_network_file(const std::filesystem::path& file) {
  constexpr std::array<std::string_view, 8> kSources = {".c", ".cc", ".cpp", ".cxx", ".h", ".hh", ".hpp", ".inc"};
  MACAW_ASSIGN(auto bytes, read_file(file));
  if (std::ranges::find(kSources, file.extension().string()) == kSources.end()) return bytes;
  auto array = c_array({reinterpret_cast<const char*>(bytes.data()), bytes.size()});
  if (!array)
    return fail(ErrorCode::kInvalidFile, "no array of bytes in this C source; expected one that holds a network",
                {.file = file.string()});
  return *std::move(array);
}

}  // namespace macaw::io
