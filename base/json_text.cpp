#include "base/json_text.hpp"

namespace macaw::io {

Result<nlohmann::json> parse_json(std::span<const std::byte> bytes, const std::string& name) {
  const auto* begin = reinterpret_cast<const char*>(bytes.data());
  try {
    return nlohmann::json::parse(begin, begin + bytes.size());
  } catch (const nlohmann::json::exception& e) {
    // "[json.exception.parse_error.101] parse error at line 3, column 5: ..."
    const std::string_view what = e.what();
    const auto tag = what.find("] ");
    return fail(ErrorCode::kInvalidFile,
                "not JSON: " + valid_utf8(tag == std::string_view::npos ? what : what.substr(tag + 2)), {.file = name});
  }
}

std::string valid_utf8(std::string_view text) {
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

}  // namespace macaw::io
