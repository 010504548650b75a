#pragma once
#include <cstddef>
#include <optional>
#include <string_view>

namespace macaw::npu {

/// First line, from 1, of TOML text with a byte that toml++ 3.3 may not be given: outside of texts and comments it
/// takes for granted what TOML does not promise about bytes above 127 and about control characters, and runs into code
/// that it declares unreachable.
[[nodiscard]] std::optional<std::size_t> unsafe_toml_line(std::string_view text);

}  // namespace macaw::npu
