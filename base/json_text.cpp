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

}  // namespace macaw::io
