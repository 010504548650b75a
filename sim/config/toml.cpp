#include "sim/config/toml.hpp"

#include <fmt/format.h>

#include "sim/config/toml_guard.hpp"

namespace macaw::npu {

Result<toml::table> parse_toml(std::string_view text, const std::string& file) {
  const auto wrong = [&](std::size_t line, std::string_view what) {
    return fail(ErrorCode::kInvalidFile, fmt::format("line {}: {}", line, what), {.file = file});
  };
  if (const auto unsafe = unsafe_toml(text)) return wrong(unsafe->line, unsafe->what);
  auto parsed = toml::parse(text, file);
  if (parsed) return std::move(parsed).table();
  return wrong(parsed.error().source().begin.line, parsed.error().description());
}

}  // namespace macaw::npu
