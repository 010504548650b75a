#include "base/json_text.hpp"

namespace macaw::io {

std::string json_message(const nlohmann::json::exception& error) {
  const std::string_view message = error.what();
  const auto tag = message.find("] ");
  return valid_utf8(tag == std::string_view::npos ? message : message.substr(tag + 2));
}

Result<nlohmann::json> parse_json(std::span<const std::byte> bytes, const std::string& name) {
  const auto* begin = reinterpret_cast<const char*>(bytes.data());
  try {
    return nlohmann::json::parse(begin, begin + bytes.size());
  } catch (const nlohmann::json::exception& e) {
    return fail(ErrorCode::kInvalidFile, "not JSON: " + json_message(e), {.file = name});
  }
}

}  // namespace macaw::io
