#pragma once
#include <macaw/error.hpp>

#include <string>
#include <string_view>

// toml++ 3.3 asserts conditions that a file can violate ("[=", "a = [}"), and reports an error for the same conditions
// afterwards. With assertions enabled the program would abort; with assertions disabled, clang compiles them as
// assumptions. Here they are neither.
#pragma push_macro("NDEBUG")
#undef NDEBUG
#define TOML_ASSERT(assumption) static_cast<void>(0)
#define TOML_EXCEPTIONS 0
#include <toml++/toml.h>
#pragma pop_macro("NDEBUG")

namespace macaw::npu {

/// `file` is used in messages. kInvalidFile with the line for invalid TOML, and for text that unsafe_toml() rejects.
[[nodiscard]] Result<toml::table> parse_toml(std::string_view text, const std::string& file);

}  // namespace macaw::npu
