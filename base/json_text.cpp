#include "base/json_text.hpp"

namespace macaw::io {

std::string valid_utf8(std::string_view text) {
  // The JSON library is the one that knows.
  return nlohmann::json::parse(json_text(nlohmann::json(text))).get<std::string>();
}

}  // namespace macaw::io
