#pragma once
#include <cstddef>
#include <optional>
#include <string_view>

namespace macaw::npu {

struct UnsafeToml {
  std::size_t line;  ///< from 1
  std::string_view what;
};

/// Returns the first place of TOML text that must not be passed to toml++ 3.3. Outside strings and comments, toml++
/// makes assumptions about bytes above 127 and control characters that TOML does not guarantee, and reaches code that
/// it declares unreachable. Nested tables are freed recursively, and a key like a.b.c creates as many as it has parts.
[[nodiscard]] std::optional<UnsafeToml> unsafe_toml(std::string_view text);

}  // namespace macaw::npu
