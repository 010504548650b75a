#pragma once
#include <macaw/error.hpp>

#include <string>
#include <string_view>

// toml++ 3.3 declares assumptions that a file can break ("[=", "a = [}") and checks the same afterwards with an error:
// where assertions are on they would end the program, and clang compiles them in where they are off. Here they are
// neither.
#pragma push_macro("NDEBUG")
#undef NDEBUG
#define TOML_ASSERT(assumption) static_cast<void>(0)
#define TOML_EXCEPTIONS 0
#include <toml++/toml.h>
#pragma pop_macro("NDEBUG")

namespace macaw::npu {

/// `file` is used in messages. kInvalidFile with the line for what is no TOML, and for what toml++ may not be given.
[[nodiscard]] Result<toml::table> parse_toml(std::string_view text, const std::string& file);

}  // namespace macaw::npu
