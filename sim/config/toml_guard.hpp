#pragma once
#include <cstddef>
#include <optional>
#include <string_view>

namespace macaw::npu {

struct UnsafeToml {
  std::size_t line;  ///< from 1
  std::string_view what;
};

/// First place of TOML text that toml++ 3.3 may not be given. Outside of texts and comments it takes for granted what
/// TOML does not promise about bytes above 127 and about control characters, and runs into code that it declares
/// unreachable. Tables in tables are freed by recursion, and a key like a.b.c makes as many as it has parts.
[[nodiscard]] std::optional<UnsafeToml> unsafe_toml(std::string_view text);

}  // namespace macaw::npu
