#pragma once
#include <string>
#include <string_view>

namespace macaw::io {

/// `text` with U+FFFD in place of what is not UTF-8 and of control characters, which a terminal obeys; lines and tabs
/// stay.
[[nodiscard]] std::string valid_utf8(std::string_view text);
/// The same for a message: of words of more than 400 bytes and of lines of more than 2,000 the beginning and the end.
[[nodiscard]] std::string readable(std::string_view message);

/// JSON text with \u escapes in place of DEL and U+0080 to U+009F, which JSON allows in texts.
[[nodiscard]] std::string with_escaped_controls(std::string json);

}  // namespace macaw::io
