#pragma once
#include <macaw/error.hpp>
#include <nlohmann/json.hpp>

#include <cstddef>
#include <span>
#include <string>

#include "base/text.hpp"

namespace macaw::io {

/// JSON as text, indented by `indent` columns if it is not negative. Texts that are not UTF-8 get replacement
/// characters, where dump() would throw; control characters are escaped, those too that JSON does not ask for.
template <class Json>
[[nodiscard]] std::string json_text(const Json& json, int indent = -1) {
  return with_escaped_controls(json.dump(indent, ' ', false, Json::error_handler_t::replace));
}

/// The message of the parser or of an access, without the tag "[json.exception.parse_error.101] " before it.
[[nodiscard]] std::string json_message(const nlohmann::json::exception& error);

/// Parses the text of a file named `name`; an error says where its text stops being JSON, with line and column.
[[nodiscard]] Result<nlohmann::json> parse_json(std::span<const std::byte> bytes, const std::string& name);

}  // namespace macaw::io
