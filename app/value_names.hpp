#pragma once
#include <string>
#include <string_view>
#include <vector>

namespace macaw::app {

/// Placeholder for the value of an option in help, by the option's name without dashes; it is the same in every
/// subcommand. "TEXT" if the option has none.
[[nodiscard]] std::string_view value_name_of(std::string_view option);

/// The known values, for completion: of ACCELERATOR, SYSTEM and TABLE. Empty: any value, or files.
[[nodiscard]] std::vector<std::string> known_values(std::string_view value_name);

}  // namespace macaw::app
