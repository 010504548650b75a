#include "base/text.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/json_text.hpp"

namespace macaw::io {
namespace {

constexpr std::size_t kLongestWord = 400, kLongestLine = 2000;

bool is_inside_character(char c) { return (static_cast<unsigned char>(c) & 0xC0) == 0x80; }

std::string shortened(const std::string& part, std::size_t longest) {
  if (part.size() <= longest) return part;
  auto head = longest * 3 / 4, tail = part.size() - longest / 8;
  while (is_inside_character(part[head])) --head;
  while (tail < part.size() && is_inside_character(part[tail])) ++tail;
  return fmt::format("{}[... {} bytes ...]{}", part.substr(0, head), tail - head, part.substr(tail));
}

/// `text` with each part between `separators` shortened.
std::string with_short_parts(const std::string& text, const char* separators, std::size_t longest) {
  std::string all;
  for (std::size_t at = 0; at <= text.size();) {
    const auto end = std::min(text.find_first_of(separators, at), text.size());
    all += shortened(text.substr(at, end - at), longest);
    if (end < text.size()) all += text[end];
    at = end + 1;
  }
  return all;
}

}  // namespace

std::string with_escaped_controls(std::string json) {
  const auto control_at = [&](std::size_t at) {
    const auto byte = [&](std::size_t i) { return i < json.size() ? static_cast<unsigned char>(json[i]) : 0U; };
    return byte(at) == 0x7f ? 0x7fU : byte(at) == 0xc2 && byte(at + 1) < 0xa0 ? byte(at + 1) : 0U;
  };
  for (auto at = json.find_first_of("\x7f\xc2"); at != json.npos; at = json.find_first_of("\x7f\xc2", at + 1))
    if (const auto control = control_at(at))
      json.replace(at, control == 0x7f ? 1 : 2, fmt::format("\\u{:04x}", control));
  return json;
}

std::string valid_utf8(std::string_view text) {
  const auto is_plain = [](char c) { return (c >= 0x20 && c < 0x7f) || c == '\n' || c == '\t'; };
  if (std::ranges::all_of(text, is_plain)) return std::string(text);
  // The JSON library is the one that knows what is UTF-8.
  const auto valid = nlohmann::json::parse(json_text(nlohmann::json(text))).get<std::string>();
  std::string shown;
  for (std::size_t i = 0; i < valid.size(); ++i) {
    const auto byte = static_cast<unsigned char>(valid[i]);
    const bool is_c1 = byte == 0xc2 && static_cast<unsigned char>(valid[i + 1]) < 0xa0;  // U+0080 to U+009F
    if (is_c1 || (byte < 0x20 && byte != '\n' && byte != '\t') || byte == 0x7f) shown += "\xef\xbf\xbd";
    else shown += valid[i];
    i += is_c1 ? 1 : 0;
  }
  return shown;
}

std::string readable(std::string_view message) {
  return with_short_parts(with_short_parts(valid_utf8(message), " \t\n", kLongestWord), "\n", kLongestLine);
}

}  // namespace macaw::io
