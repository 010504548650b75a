#pragma once
#include <macaw/error.hpp>
#include <nlohmann/json.hpp>

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

namespace macaw::io {

/// JSON as text, indented by `indent` columns if it is not negative. Texts that are not UTF-8 get replacement
/// characters, where dump() would throw.
template <class Json>
[[nodiscard]] std::string json_text(const Json& json, int indent = -1) {
  return json.dump(indent, ' ', false, Json::error_handler_t::replace);
}

/// What a file named `name` holds; an error says where its text stops being JSON, with line and column.
[[nodiscard]] Result<nlohmann::json> parse_json(std::span<const std::byte> bytes, const std::string& name);

/// `text` with U+FFFD in place of what is not UTF-8 and of control characters, which a terminal obeys; lines and tabs
/// stay.
[[nodiscard]] std::string valid_utf8(std::string_view text);
/// The same for a message: of words of more than 400 bytes and of lines of more than 2,000 the beginning and the end.
[[nodiscard]] std::string readable(std::string_view message);

}  // namespace macaw::io
